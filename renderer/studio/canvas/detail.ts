// Level of detail by zoom: text and pins are not drawn when zoomed out.
export type Detail = 'full' | 'plain' | 'block'

const PLAIN_BELOW = 0.4
const BLOCK_BELOW = 0.15

type Viewed = { readonly transform: readonly [x: number, y: number, zoom: number] }

/** A selector of the canvas store with three values, so that zooming re-renders nodes only at the two thresholds. */
export const detailAt = ({ transform: [, , zoom] }: Viewed): Detail =>
  zoom < BLOCK_BELOW ? 'block' : zoom < PLAIN_BELOW ? 'plain' : 'full'
