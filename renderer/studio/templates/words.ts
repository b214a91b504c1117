// The words of the library in the language of the interface; ids and English texts are those of the library.
import { t } from '../../language/language.ts'

type Words = { readonly title: string; readonly about: string }
export const TEMPLATE_WORDS: Readonly<Record<string, Words>> = {
  'forest-with-clearing': {
    title: t('Forest with a clearing'),
    about: t('Trees on the landscape, kept apart, none inside the spline.'),
  },
  'scatter-by-slope': {
    title: t('Scatter by slope'),
    about: t('Rocks where the landscape is steeper than a limit.'),
  },
  'path-with-lamps': {
    title: t('Path with lamps'),
    about: t('Paving along the spline and a lamp every 4 m beside it, on the landscape.'),
  },
  'fence-along-spline': {
    title: t('Fence along a spline'),
    about: t('A post and a panel in turn along the spline; panels stretch to fill its length.'),
  },
  'city-block': {
    title: t('City block'),
    about: t('Houses and towers along each side of the spline, a gate in each, trees in the yard.'),
  },
  cliffs: { title: t('Cliffs'), about: t('Cliff pieces along lines of equal height.') },
  'river-bank': {
    title: t('River bank'),
    about: t('Reeds and stones on both sides of the spline, on the landscape.'),
  },
  ruins: { title: t('Ruins'), about: t('Walls of blocks along the spline, of which a share is left.') },
  'crop-field': { title: t('Crop field'), about: t('Rows of plants inside the spline, on the landscape.') },
  'vegetation-layers': {
    title: t('Vegetation layers'),
    about: t('Trees, bushes between the trees, and grass between both.'),
  },
  'debris-by-density-map': {
    title: t('Debris by a density map'),
    about: t('Debris where the red channel of a picture over the volume is bright.'),
  },
  'points-from-a-table': {
    title: t('Points from a table'),
    about: t('A mesh for each row of a data table, on the landscape.'),
  },
}
export const NEED_WORDS: Readonly<Record<string, string>> = {
  'A closed spline with the tag Clearing': t('A closed spline with the tag Clearing'),
  'A spline with the tag Path': t('A spline with the tag Path'),
  'A picture /Game/Maps/Density (PNG)': t('A picture /Game/Maps/Density (PNG)'),
  'A data table /Game/Data/Places with the columns Place, Turn and Mesh': t(
    'A data table /Game/Data/Places with the columns Place, Turn and Mesh',
  ),
}
export const TAG_WORDS: Readonly<Record<string, string>> = {
  buildings: t('buildings'),
  'data table': t('data table'),
  fence: t('fence'),
  grammar: t('grammar'),
  isolines: t('isolines'),
  landscape: t('landscape'),
  layers: t('layers'),
  path: t('path'),
  props: t('props'),
  rocks: t('rocks'),
  rows: t('rows of plants'),
  scatter: t('scatter'),
  slope: t('slope'),
  spline: t('spline'),
  texture: t('texture'),
  vegetation: t('vegetation'),
  water: t('water'),
}
