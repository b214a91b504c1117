// Joins a secret and its record in one text, for key services that encrypt text without context.

const MARK = 'gantry-secret:v1:'
const HEAD = /^gantry-secret:v1:(\d{1,4}):/

export const bound = (secret: string, ref: string): string => `${MARK}${ref.length}:${ref}:${secret}`

/** `null`: sealed before secrets were bound. Undefined: unknown form, or another record's. */
export function boundTo(text: string, ref: string): string | null | undefined {
  if (!text.startsWith(MARK)) return null
  const head = HEAD.exec(text)
  if (head === null) return undefined
  const rest = text.slice(head[0].length)
  const itsLength = Number(head[1])
  return rest.slice(0, itsLength) === ref && rest[itsLength] === ':' ? rest.slice(itsLength + 1) : undefined
}

/** Whether the database may still contain unbound secrets of the key service. */
export type Binding = {
  readonly complete: () => boolean
  /** From now on, also after restarts, unbound secrets are rejected. */
  readonly completed: () => Promise<void>
}
