const { AGENT_RUNTIME_HOST_SOCKET: socket, AGENT_RUNTIME_TOKEN: token } = process.env;

/** The host that the environment points at, with a token that may list over threads; undefined without one. */
export const realHost = socket === undefined || token === undefined ? undefined : { socket, token };
