// Cursors of `tools/list`: the position of the last entry, sealed for one surface and one principal. Amendment 17.
import { createSeal } from './seal.ts'
import { principalHash } from './session-seal.ts'

/** Whose list of which surface. */
type List = { readonly surface: string; readonly principal: string }

export type ListCursors = {
  after(list: List, position: string): string
  /** Undefined for a text that is no cursor of this list. */
  positionOf(list: List, cursor: unknown): string | undefined
}

export function createListCursors(secret: Uint8Array): ListCursors {
  const { seal, open } = createSeal(secret, 'gantry mcp list cursor')
  return {
    after: ({ surface, principal }, position) => seal([surface, principalHash(principal), position]),
    positionOf(list, cursor) {
      const [surface, principal, position] = (typeof cursor === 'string' && open(cursor)) || []
      const isOfList = surface === list.surface && principal === principalHash(list.principal)
      return isOfList && typeof position === 'string' ? position : undefined
    },
  }
}
