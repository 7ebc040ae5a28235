// All mistakes. They stand for what can go wrong in every room; at least twenty break the specification.
import type { Mutation } from './mutation.ts';
import { ofEdges } from './of-edges.ts';
import { ofRequests } from './of-requests.ts';
import { ofThreads } from './of-threads.ts';

export const mutations: readonly Mutation[] = [...ofThreads, ...ofRequests, ...ofEdges];
