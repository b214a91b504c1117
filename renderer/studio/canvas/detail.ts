// How much of a node is drawn from how far: far away, words are dust and pins are nothing.
export type Detail = 'full' | 'plain' | 'block'

const PLAIN_BELOW = 0.4
const BLOCK_BELOW = 0.15

type Viewed = { readonly transform: readonly [x: number, y: number, zoom: number] }

/** A selector of the canvas library's store: it changes twice on the whole way, so that nothing is drawn anew in between. */
export const detailAt = ({ transform: [, , zoom] }: Viewed): Detail =>
  zoom < BLOCK_BELOW ? 'block' : zoom < PLAIN_BELOW ? 'plain' : 'full'
