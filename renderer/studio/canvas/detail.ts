// Level of detail by zoom: pin names are not drawn when zoomed out, and the title then covers the node.

export type Detail = 'full' | 'plain' | 'block'

const PLAIN_BELOW = 0.7
const BLOCK_BELOW = 0.15

/** The font size of titles: at least 11 px on the screen, down to the zoom at which two lines do not fit a node. */
export const READABLE = 'clamp(12px, calc(11px / var(--zoom, 1)), 34px)'

type Viewed = { readonly transform: readonly [x: number, y: number, zoom: number] }

/** A selector of the canvas store with three values, so that zooming re-renders nodes only at the two thresholds. */
export const detailAt = ({ transform: [, , zoom] }: Viewed): Detail =>
  zoom < BLOCK_BELOW ? 'block' : zoom < PLAIN_BELOW ? 'plain' : 'full'
