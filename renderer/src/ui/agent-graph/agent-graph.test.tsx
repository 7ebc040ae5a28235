import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderPart } from '../../test/render-page.tsx';
import { AgentGraph } from './agent-graph.tsx';
import { activeIds, layOutAgentGraph } from './graph-layout.ts';

const graph = {
  nodes: [
    { id: '__start__', type: 'start' as const, name: '__start__' },
    { id: 'search', type: 'node' as const, name: 'search' },
    { id: 'section:draft', type: 'node' as const, name: 'draft' },
    { id: '__end__', type: 'end' as const, name: '__end__' },
  ],
  edges: [
    { source: '__start__', target: 'search', conditional: false },
    { source: 'search', target: 'search', conditional: true },
    { source: 'search', target: 'section:draft', conditional: true, label: 'enough' },
    { source: 'section:draft', target: '__end__', conditional: false },
  ],
};

test('the graph is also a list of nodes with their edges, and running nodes are marked', async () => {
  renderPart(<AgentGraph graph={graph} label="Graph of research" activeNodes={['draft']} />);
  const nodes = within(await screen.findByRole('list', { name: 'Nodes' })).getAllByRole('listitem');
  expect(nodes.map((node) => node.textContent)).toEqual([
    'start → search',
    'search → search ?, section / draft (enough) ?',
    'section / draft running → end',
  ]);
  expect(screen.getByRole('status').textContent).toBe('Running: draft');
});

test('calls, times and failures of a node are in the drawing and in the list', async () => {
  const figures = new Map([
    ['search', { calls: 12, errors: 2, p50Ms: 340, p95Ms: 2_000 }],
    ['section:draft', { calls: 1, errors: 0, p50Ms: 5 }],
  ]);
  renderPart(<AgentGraph graph={graph} label="Graph of research" figures={figures} />);
  const list = await screen.findByRole('list', { name: 'Nodes' });
  expect(within(list).getByText('12 calls, p50 340 ms, p95 2.0 s, 2 failed')).toBeVisible();
  expect(within(list).getByText('1 call, 5 ms')).toBeVisible();
  expect(screen.getByText('12 × 340 ms, 2 failed')).toBeVisible();
});

test('nodes are in layers from the start to the end', () => {
  const y = Object.fromEntries(layOutAgentGraph(graph).map(({ id, y: top }) => [id, top]));
  expect(y['__start__']).toBeLessThan(y['search'] ?? 0);
  expect(y['search']).toBeLessThan(y['section:draft'] ?? 0);
});

test('a running sub-graph highlights the nodes within it', () => {
  expect([...activeIds(graph, ['section'])]).toEqual(['section:draft']);
  expect([...activeIds(graph, ['search'])]).toEqual(['search']);
});

test('shows when LangGraph cannot draw it', async () => {
  renderPart(<AgentGraph graph={{ nodes: [], edges: [] }} label="Graph of odd" />);
  expect(await screen.findByText(/cannot draw/)).toBeVisible();
});
