// Texts that are translated where they are shown, by a value: the tables they come from.
import { sections } from '../gateway/settings/help.ts'

/** Path of the folder whose page shows the table, and its texts. */
export function tables(): readonly { readonly file: string; readonly texts: readonly string[] }[] {
  const meanings = sections().flatMap(({ rows }) => rows.map(([, { meaning }]) => meaning))
  return [{ file: 'renderer/admin/settings/ConfigView.tsx', texts: meanings }]
}
