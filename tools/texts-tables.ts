// Texts that are translated where they are shown, by a value: the tables they come from.
import { connectClients } from '../gateway/contract/connect.ts'
import { sections } from '../gateway/settings/help.ts'

/** The steps of the clients, and the one label that is no name. */
const STEPS = connectClients({ name: 'x', url: 'http://x', key: 'x', deepLinks: true }).flatMap(
  ({ id, label, instructions }) => [...(id === 'generic-json' ? [label] : []), ...instructions],
)

type Table = { readonly file: string; readonly texts: readonly string[] }

/** Path of the folder whose page shows the table, and its texts. */
export function tables(): readonly Table[] {
  const meanings = sections().flatMap(({ rows }) => rows.map(([, { meaning }]) => meaning))
  return [
    { file: 'renderer/admin/settings/ConfigView.tsx', texts: meanings },
    { file: 'renderer/admin/connect/Snippet.tsx', texts: STEPS },
  ]
}

export const installTables = (): readonly Table[] => [{ file: 'gateway/http/install-page.ts', texts: STEPS }]
