"""Embedding functions: the length of each text, and a half."""

from langchain_core.embeddings import Embeddings


def sync(texts):
    return [[len(text), 0.5] for text in texts]


async def asynchronous(texts):
    return sync(texts)


class Model(Embeddings):
    def embed_documents(self, texts):
        return sync(texts)

    def embed_query(self, text):
        return [len(text), -0.5]


model = Model()


def failing(texts):
    raise ValueError("no vectors today")


def wordy(texts):
    return ["vector" for _ in texts]
