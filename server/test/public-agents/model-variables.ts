/** The variables by which clients of models find a server, and keys that they insist on. Nothing else about an agent is changed. */
export function modelVariables(url: string): Record<string, string> {
  return {
    OPENAI_API_KEY: 'sk-scripted',
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_BASE: `${url}/v1`,
    ANTHROPIC_API_KEY: 'sk-ant-scripted',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_URL: url,
    GOOGLE_API_KEY: 'scripted',
    GEMINI_API_KEY: 'scripted',
    GOOGLE_GEMINI_BASE_URL: url,
    LMSTUDIO_BASE_URL: `${url}/v1`,
    SUPABASE_URL: url,
    SUPABASE_KEY: 'eyJhbGciOiJub25lIn0.e30.scripted',
    TAVILY_API_KEY: 'tvly-scripted',
    // Tracing goes nowhere.
    LANGSMITH_TRACING: 'false',
    LANGCHAIN_TRACING_V2: 'false',
    // What is not on this machine fails at once instead of waiting for a response.
    HF_HUB_OFFLINE: '1',
  };
}
