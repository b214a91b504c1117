// The templates of the library: what each makes, its tags and what its level or project must have.
import type { TEXTS } from './texts.ts'

export type Template = {
  readonly id: keyof typeof TEXTS
  readonly title: string
  readonly about: string
  readonly tags: readonly string[]
  /** What it reads beside the landscape under the volume; empty when any level will do. */
  readonly needs: readonly string[]
}

const CLOSED = 'A closed spline with the tag Clearing'
const PATH = 'A spline with the tag Path'

export const TEMPLATES: readonly Template[] = [
  {
    id: 'forest-with-clearing',
    title: 'Forest with a clearing',
    about: 'Trees on the landscape, kept apart, none inside the spline.',
    tags: ['vegetation', 'scatter', 'spline'],
    needs: [CLOSED],
  },
  {
    id: 'scatter-by-slope',
    title: 'Scatter by slope',
    about: 'Rocks where the landscape is steeper than a limit.',
    tags: ['rocks', 'scatter', 'slope'],
    needs: [],
  },
  {
    id: 'path-with-lamps',
    title: 'Path with lamps',
    about: 'Paving along the spline and a lamp every 4 m beside it, on the landscape.',
    tags: ['path', 'props', 'spline'],
    needs: [PATH],
  },
  {
    id: 'fence-along-spline',
    title: 'Fence along a spline',
    about: 'A post and a panel in turn along the spline; panels stretch to fill its length.',
    tags: ['fence', 'grammar', 'spline'],
    needs: [CLOSED],
  },
  {
    id: 'city-block',
    title: 'City block',
    about: 'Houses and towers along each side of the spline, a gate in each, trees in the yard.',
    tags: ['buildings', 'grammar', 'spline'],
    needs: [CLOSED],
  },
  {
    id: 'cliffs',
    title: 'Cliffs',
    about: 'Cliff pieces along lines of equal height.',
    tags: ['rocks', 'isolines', 'landscape'],
    needs: [],
  },
  {
    id: 'river-bank',
    title: 'River bank',
    about: 'Reeds and stones on both sides of the spline, on the landscape.',
    tags: ['vegetation', 'water', 'spline'],
    needs: [PATH],
  },
  {
    id: 'ruins',
    title: 'Ruins',
    about: 'Walls of blocks along the spline, of which a share is left.',
    tags: ['buildings', 'grammar', 'spline'],
    needs: [CLOSED],
  },
  {
    id: 'crop-field',
    title: 'Crop field',
    about: 'Rows of plants inside the spline, on the landscape.',
    tags: ['vegetation', 'rows', 'spline'],
    needs: [CLOSED],
  },
  {
    id: 'vegetation-layers',
    title: 'Vegetation layers',
    about: 'Trees, bushes between the trees, and grass between both.',
    tags: ['vegetation', 'scatter', 'layers'],
    needs: [],
  },
  {
    id: 'debris-by-density-map',
    title: 'Debris by a density map',
    about: 'Debris where the red channel of a picture over the volume is bright.',
    tags: ['props', 'texture', 'scatter'],
    needs: ['A picture /Game/Maps/Density (PNG)'],
  },
  {
    id: 'points-from-a-table',
    title: 'Points from a table',
    about: 'A mesh for each row of a data table, on the landscape.',
    tags: ['props', 'data table'],
    needs: ['A data table /Game/Data/Places with the columns Place, Turn and Mesh'],
  },
]
