// Cursors of `tools/list`: the position of the last entry, sealed for one surface and one principal. Amendment 17.
import { createSeal, type SealSecrets } from './seal.ts'
import { principalHash } from './session-seal.ts'

/** Whose list of which surface. */
type List = { readonly surface: string; readonly principal: string }

export type ListCursors = ReturnType<typeof createListCursors>

export function createListCursors(secrets: SealSecrets) {
  const { seal, open } = createSeal(secrets, 'gantry mcp list cursor')
  return {
    after: ({ surface, principal }: List, position: string): string =>
      seal([surface, principalHash(principal), position]),
    /** Undefined for a text that is no cursor of this list. */
    positionOf(list: List, cursor: unknown): string | undefined {
      const [surface, principal, position] = (typeof cursor === 'string' && open(cursor)) || []
      const isOfList = surface === list.surface && principal === principalHash(list.principal)
      return isOfList && typeof position === 'string' ? position : undefined
    },
  }
}
