// Rules about settings with which a node makes nothing, too much, or not what was meant.
import { isRecord } from '../../editor/settings.ts'
import { type Found, found, type LintRule, type NodeRule, set } from './rule.ts'
import { into, type LintNode, number, overridden, text, value, vector } from './view.ts'

/** Meshes of a weighted spawner, with their weights. */
function meshesOf(node: LintNode): { readonly mesh: string; readonly weight: number }[] {
  const parameters = value(node, 'MeshSelectorParameters')
  const list: unknown = isRecord(parameters) ? (parameters['MeshEntries'] ?? parameters['mesh_entries']) : undefined
  if (!Array.isArray(list)) return []
  return list.filter(isRecord).map((entry) => {
    const descriptor = isRecord(entry['Descriptor']) ? entry['Descriptor'] : entry
    const mesh = descriptor['StaticMesh'] ?? entry['Mesh'] ?? ''
    const weight = entry['Weight'] ?? 1
    return {
      mesh: typeof mesh === 'string' && mesh !== 'None' ? mesh : '',
      weight: typeof weight === 'number' ? weight : 1,
    }
  })
}
const weighted = (node: LintNode): boolean =>
  text(node, 'MeshSelectorType').includes('MeshSelectorWeighted') &&
  !text(node, 'MeshSelectorType').includes('ByCategory')
const unlessOverridden = (
  node: LintNode,
  names: readonly string[],
  bad: boolean,
  message: string,
  fix?: Record<string, unknown>,
): Found[] => (bad && !overridden(node, ...names) ? [found(node.id, message, fix && set(node, fix))] : [])
/** A setting within one that is a struct. */
function within(node: LintNode, name: string, inner: string): unknown {
  const struct = value(node, name)
  return isRecord(struct) ? struct[inner] : undefined
}
const stated = (node: LintNode, name: string): string => `${name} is ${JSON.stringify(value(node, name))}`
/** Components of a minimum that are above those of its maximum. */
const crossed = (node: LintNode, low: string, high: string): boolean =>
  vector(node, low).some((item, at) => item > (vector(node, high)[at] ?? item))
const MANY = 100_000
/** Settings of Transform Points that move no point. */
const WITHOUT_EFFECT = new Set(['Seed', 'Category', 'Description', 'bDebug', 'bUniformScale'])

export const SETTING_RULES: readonly (LintRule | NodeRule)[] = [
  {
    id: 'missing-mesh',
    severity: 'error',
    about: 'A mesh spawner has no mesh',
    remedy: 'Add an entry to MeshSelectorParameters.MeshEntries',
    check: (view) =>
      view.of('StaticMeshSpawner').flatMap((node) => {
        if (!weighted(node) || overridden(node, 'MeshSelectorParameters')) return []
        const meshes = meshesOf(node)
        if (meshes.length === 0) return [found(node.id, 'it has no mesh entries')]
        return meshes.flatMap(({ mesh }, at) =>
          mesh === '' ? [found(node.id, `mesh entry ${at + 1} has no mesh`)] : [],
        )
      }),
  },
  {
    id: 'mesh-weight',
    severity: 'warning',
    about: 'A mesh entry of weight 0 is never chosen',
    remedy: 'Raise the weight, or remove the entry',
    check: (view) =>
      view
        .of('StaticMeshSpawner')
        .flatMap((node) =>
          weighted(node)
            ? meshesOf(node).flatMap(({ mesh, weight }) =>
                weight <= 0 ? [found(node.id, `${mesh} has the weight ${weight}`)] : [],
              )
            : [],
        ),
  },
  {
    id: 'missing-actor-class',
    severity: 'error',
    about: 'A node that spawns actors has no class',
    remedy: 'Set TemplateActorClass or ActorClass, or spawn by attribute',
    check: (view) =>
      [
        ...view.of('SpawnActor').map((node) => [node, 'TemplateActorClass'] as const),
        ...view.of('SpawnInstancedActors').map((node) => [node, 'ActorClass'] as const),
      ].flatMap(([node, name]) =>
        unlessOverridden(
          node,
          [name],
          !value(node, name) && value(node, 'bSpawnByAttribute') !== true,
          `${name} is not set`,
        ),
      ),
  },
  {
    id: 'zero-extents',
    severity: 'warning',
    about: 'Extents or cells of size 0 make points without bounds, or none',
    remedy: 'Give each axis a size above 0; the fix restores the default',
    check: (view) =>
      [
        ...view.of('SurfaceSampler').map((node) => [node, 'PointExtents'] as const),
        ...view.of('CreatePointsGrid').flatMap((node) => [[node, 'GridExtents'] as const, [node, 'CellSize'] as const]),
      ].flatMap(([node, name]) =>
        unlessOverridden(
          node,
          [name],
          vector(node, name).some((size) => size <= 0),
          stated(node, name),
          { [name]: null },
        ),
      ),
  },
  {
    id: 'zero-density',
    severity: 'warning',
    about: 'A sampler with 0 points per square meter makes no points',
    remedy: 'Raise PointsPerSquaredMeter; the fix restores the default',
    on: ['SurfaceSampler'],
    reads: ['PointsPerSquaredMeter'],
    finds: (node) => number(node, 'PointsPerSquaredMeter') <= 0 && 'PointsPerSquaredMeter is 0',
    fix: (node) => set(node, { PointsPerSquaredMeter: null }),
  },
  {
    id: 'dense-sampler',
    severity: 'warning',
    about: 'A sampler makes more than 10 points per square meter: 100,000 on 100 × 100 m',
    remedy: 'Lower PointsPerSquaredMeter, or bound the sampler',
    on: ['SurfaceSampler'],
    reads: ['PointsPerSquaredMeter'],
    finds(node) {
      const density = number(node, 'PointsPerSquaredMeter')
      return density > 10 && `${density} points per square meter`
    },
  },
  {
    id: 'small-voxels',
    severity: 'warning',
    about: 'Voxels of less than 10 cm make more than a million points per 10 m cube',
    remedy: 'Raise VoxelSize',
    on: ['VolumeSampler'],
    reads: ['VoxelSize'],
    finds: (node) => vector(node, 'VoxelSize').some((size) => size < 10) && stated(node, 'VoxelSize'),
  },
  {
    id: 'unbounded-sampler',
    severity: 'warning',
    about: 'A sampler without bounds covers the whole surface or volume, also outside of the component',
    remedy: 'Turn bUnbounded off, or connect Bounding Shape',
    on: ['SurfaceSampler', 'VolumeSampler', 'SplineSampler'],
    reads: ['Unbounded'],
    finds(node) {
      const unbounded = value(node, 'bUnbounded') === true || within(node, 'SamplerParams', 'bUnbounded') === true
      return unbounded && into(node, 'Bounding Shape').length === 0 && 'it samples without bounds'
    },
    fix: (node) => (value(node, 'bUnbounded') === true ? set(node, { bUnbounded: null }) : undefined),
  },
  {
    id: 'unbounded-poisson',
    severity: 'warning',
    about: 'Poisson sampling without a useful distance makes more than 100,000 points',
    remedy: 'Raise the distance between points, or lower the radius',
    check: (view) => [
      ...view.of('CreatePointsSphere').flatMap((node) => {
        const points = (4 * Math.PI * number(node, 'Radius') ** 2) / (0.7 * number(node, 'PoissonDistance') ** 2)
        return unlessOverridden(
          node,
          ['Radius', 'PoissonDistance'],
          value(node, 'SphereGeneration') === 'Poisson' && points > MANY,
          `about ${Math.round(points / 1000)} thousand points`,
        )
      }),
      ...view.of('MeshSampler').flatMap((node) => {
        const options = value(node, 'SamplingOptions')
        const set = isRecord(options) && Object.keys(options).length > 0
        return unlessOverridden(
          node,
          ['SamplingOptions'],
          value(node, 'SamplingMethod') === 'PoissonSampling' &&
            !set &&
            !(typeof options === 'string' && options !== ''),
          'Poisson sampling without SamplingOptions',
        )
      }),
    ],
  },
  {
    id: 'empty-range',
    severity: 'warning',
    about: 'The lower bound of a filter is above its upper bound: it keeps nothing',
    remedy: 'Exchange the bounds; the fix does',
    on: ['DensityFilter'],
    reads: ['LowerBound', 'UpperBound'],
    finds(node) {
      const [low, high] = [number(node, 'LowerBound'), number(node, 'UpperBound')]
      return low > high && `LowerBound ${low} is above UpperBound ${high}`
    },
    fix: (node) => set(node, { LowerBound: number(node, 'UpperBound'), UpperBound: number(node, 'LowerBound') }),
  },
  {
    id: 'full-range',
    severity: 'info',
    about: 'A density filter from 0 to 1 keeps everything, or nothing when it is inverted',
    remedy: 'Narrow the range, or remove the node',
    on: ['DensityFilter'],
    reads: ['LowerBound', 'UpperBound'],
    finds: (node) =>
      number(node, 'LowerBound') <= 0 &&
      number(node, 'UpperBound') >= 1 &&
      (value(node, 'bInvertFilter') === true ? 'it keeps nothing' : 'it keeps everything'),
  },
  {
    id: 'crossed-range',
    severity: 'warning',
    about: 'A minimum is above its maximum',
    remedy: 'Exchange them',
    check: (view) =>
      view
        .of('TransformPoints')
        .flatMap((node) =>
          ['Offset', 'Rotation', 'Scale'].flatMap((name) =>
            unlessOverridden(
              node,
              [`${name}Min`, `${name}Max`],
              crossed(node, `${name}Min`, `${name}Max`),
              `${name}Min ${JSON.stringify(value(node, `${name}Min`))} is above ${name}Max ${JSON.stringify(value(node, `${name}Max`))}`,
            ),
          ),
        ),
  },
  {
    id: 'zero-scale',
    severity: 'warning',
    about: 'Points of scale 0 are invisible',
    remedy: 'Raise ScaleMax; the fix restores the default',
    on: ['TransformPoints'],
    reads: ['ScaleMax'],
    finds: (node) => vector(node, 'ScaleMax').some((size) => size === 0) && stated(node, 'ScaleMax'),
    fix: (node) => set(node, { ScaleMin: null, ScaleMax: null }),
  },
  {
    id: 'no-transform',
    severity: 'info',
    about: 'A Transform Points node with default settings changes nothing',
    remedy: 'Set an offset, a rotation or a scale, or remove the node',
    on: ['TransformPoints'],
    finds: (node) =>
      node.inputs.length > 0 &&
      node.inputs.every(({ toPin }) => toPin === 'In') &&
      Object.keys(node.settings).every((name) => WITHOUT_EFFECT.has(name)) &&
      'it changes nothing',
  },
  {
    id: 'no-pruning',
    severity: 'info',
    about: 'Self Pruning of type None removes nothing',
    remedy: 'Choose a type, or remove the node',
    on: ['SelfPruning'],
    reads: ['PruningType'],
    finds: (node) => within(node, 'Parameters', 'PruningType') === 'None' && 'it removes nothing',
  },
  {
    id: 'no-tag',
    severity: 'warning',
    about: 'Actors are chosen by a tag that is empty: none is found',
    remedy: 'Set ActorSelector.ActorSelectionTag',
    reads: ['ActorSelectionTag'],
    finds: (node) =>
      within(node, 'ActorSelector', 'ActorFilter') === 'AllWorldActors' &&
      within(node, 'ActorSelector', 'ActorSelection') === 'ByTag' &&
      ['', 'None'].some((none) => within(node, 'ActorSelector', 'ActorSelectionTag') === none) &&
      node.type?.name !== 'PCGGetLandscapeSettings' &&
      'ActorSelectionTag is empty',
  },
  {
    id: 'empty-tags',
    severity: 'warning',
    about: 'A filter by tag has no tags',
    remedy: 'Set SelectedTags',
    on: ['FilterByTag'],
    reads: ['SelectedTags'],
    finds: (node) => text(node, 'SelectedTags') === '' && 'SelectedTags is empty',
  },
  {
    id: 'no-points',
    severity: 'warning',
    about: 'Create Points has an empty list',
    remedy: 'Add points to PointsToCreate',
    on: ['CreatePoints'],
    reads: ['PointsToCreate'],
    finds(node) {
      const list = value(node, 'PointsToCreate')
      return (!Array.isArray(list) || list.length === 0) && 'PointsToCreate is empty'
    },
  },
  {
    id: 'upward-ray',
    severity: 'info',
    about: 'Rays go up: they miss the ground',
    remedy: 'Set RayDirection to [0, 0, -1]; the fix does',
    on: ['WorldRaycastElement'],
    reads: ['RayDirection'],
    finds: (node) =>
      value(node, 'RaycastMode') !== 'Segments' &&
      value(node, 'bOverrideRayDirections') !== true &&
      (vector(node, 'RayDirection')[2] ?? 0) > 0 &&
      stated(node, 'RayDirection'),
    fix: (node) => set(node, { RayDirection: [0, 0, -1] }),
  },
  {
    id: 'choice-of-none',
    severity: 'warning',
    about: 'Random Choice of 0 entries chooses nothing',
    remedy: 'Raise FixedNumber or Ratio',
    on: ['RandomChoice'],
    reads: ['FixedNumber', 'Ratio', 'FixedMode'],
    finds: (node) =>
      number(node, value(node, 'bFixedMode') === true ? 'FixedNumber' : 'Ratio') <= 0 && 'it chooses nothing',
  },
]
