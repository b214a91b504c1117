// The starters of the catalogue as graphs that a test can run and break.
import { STARTERS, type Starter } from '../../catalog/index.ts'
import type { GraphDoc } from '../../editor/document.ts'
import { graphOf, type Nodes } from './graph.fixture.ts'

export function starter(id: string): Starter {
  const found = STARTERS.find((each) => each.id === id)
  if (!found) throw new Error(`There is no starter ${id}`)
  return found
}

type Change = {
  /** Settings laid over those of the starter. */
  readonly set?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** A wire that is taken away. */
  readonly cut?: string
  readonly add?: { readonly nodes: Nodes; readonly wires: readonly string[] }
}

export function graphOfStarter({ nodes, wires }: Starter, { set = {}, cut, add }: Change = {}): GraphDoc {
  const own: Nodes = Object.fromEntries(
    Object.entries(nodes).map(([name, [type, , , properties = {}]]) => [
      name,
      [`PCG${type}Settings`, { ...properties, ...set[name] }],
    ]),
  )
  if (cut !== undefined && !wires.includes(cut)) throw new Error(`The starter has no wire ${cut}`)
  return graphOf({ ...own, ...add?.nodes }, [...wires.filter((wire) => wire !== cut), ...(add?.wires ?? [])])
}
