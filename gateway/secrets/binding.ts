// A secret and the record it belongs to in one text, for a service that encrypts any text and knows no records.

const MARK = 'gantry-secret:v1:'
const HEAD = /^gantry-secret:v1:(\d{1,4}):/

export const bound = (secret: string, ref: string): string => `${MARK}${ref.length}:${ref}:${secret}`

/** `null`: it was sealed before secrets were bound. Undefined: it is of no known form, or another record's. */
export function boundTo(text: string, ref: string): string | null | undefined {
  if (!text.startsWith(MARK)) return null
  const head = HEAD.exec(text)
  if (head === null) return undefined
  const rest = text.slice(head[0].length)
  const itsLength = Number(head[1])
  return rest.slice(0, itsLength) === ref && rest[itsLength] === ':' ? rest.slice(itsLength + 1) : undefined
}

/** Whether the database may still hold secrets of the key service that name no record. */
export type Binding = {
  readonly complete: () => boolean
  /** From now on, and after every start, a secret that names no record is refused. */
  readonly completed: () => Promise<void>
}
