// The items of a configuration document that an import applies: items that are left out stay as they are. Pure.
import { pointer } from './config-diff.ts'
import { type ConfigClient, type ConfigDoc, DOCUMENT_SECTIONS, type DocumentSection, named } from './config-document.ts'

type Named = Readonly<Record<string, unknown>>
type Mode = 'merge' | 'replace'

/** The item that a change belongs to: `/bundles/x`, or `/clients/x/tools/y`. */
export function itemOf(path: string): string {
  const [, section, name, part, tool] = path.split('/')
  return section === 'clients' && part === 'tools' && tool !== undefined
    ? `/clients/${name}/tools/${tool}`
    : `/${section}/${name}`
}

/** `replace` deletes what a document does not name, so items that are left out are taken from the present configuration. */
export function withoutItems(doc: ConfigDoc, present: ConfigDoc, leaveOut: readonly string[], mode: Mode): ConfigDoc {
  const left = new Set(leaveOut)
  const kept = Object.fromEntries(
    DOCUMENT_SECTIONS.flatMap((section) => {
      const items = doc[section]
      return items === undefined ? [] : [[section, selected(section, items, present[section] ?? [], left, mode)]]
    }),
  )
  // The items of each section are its own, of one of the two documents.
  return { ...doc, ...(kept as Partial<ConfigDoc>) }
}

function selected(
  section: DocumentSection,
  items: readonly Named[],
  present: readonly Named[],
  left: ReadonlySet<string>,
  mode: Mode,
): readonly Named[] {
  const isLeft = ([name]: readonly [string, Named]): boolean => left.has(pointer(section, name))
  const now = named(section, present)
  const mine = named(section, items).filter((entry) => !isLeft(entry))
  const theirs = mode === 'replace' ? now.filter(isLeft) : []
  const chosen = [...mine, ...theirs].map(([, item]) => item)
  if (section !== 'clients') return chosen
  const before = new Map(now)
  return chosen.map((client) =>
    toolsOf(client as ConfigClient, before.get(String(client.name)) as ConfigClient | undefined, left, mode),
  ) // of this section
}

function toolsOf(
  client: ConfigClient,
  present: ConfigClient | undefined,
  left: ReadonlySet<string>,
  mode: Mode,
): Named {
  if (client.tools === undefined) return client
  const isLeft = ({ name }: { readonly name: string }): boolean => left.has(pointer('tools', `${client.name}/${name}`))
  const theirs = mode === 'replace' ? (present?.tools ?? []).filter(isLeft) : []
  return { ...client, tools: [...client.tools.filter((tool) => !isLeft(tool)), ...theirs] }
}
