// Graphs of any size as files of the embedded editor's project.

/** A chain in rows: made by call, thousands of nodes would take minutes. */
export function graphFile(count: number, apart = 1): string {
  const name = (at: number): string => `DensityFilter_${at}`
  const columns = Math.ceil(Math.sqrt(count))
  const all = Array.from({ length: count }, (_none, at) => at)
  return JSON.stringify({
    kind: 'PCGGraph',
    version: 1,
    nodes: all.map((at) => ({ name: name(at), class: 'PCGDensityFilterSettings', properties: {} })),
    edges: all.slice(1).map((at) => ({ from: name(at - 1), fromPin: 'Out', to: name(at), toPin: 'In' })),
    parameters: [],
    inputPins: [],
    outputPins: [],
    serials: { DensityFilter: count },
    positions: Object.fromEntries(
      all.map((at) => [name(at), { x: (at % columns) * 280 * apart, y: Math.floor(at / columns) * 120 * apart }]),
    ),
    comments: [],
  })
}
