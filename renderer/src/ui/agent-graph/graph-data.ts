/** A graph as GET /agents/{name}/graph returns it. */
export interface GraphData {
  readonly nodes: readonly {
    readonly id: string;
    readonly type: 'start' | 'end' | 'node' | 'subgraph';
    readonly name: string;
  }[];
  readonly edges: readonly {
    readonly source: string;
    readonly target: string;
    readonly conditional: boolean;
    readonly label?: string;
  }[];
}
