// What each class computes and where that is known from. `docs/pcg-semantics.md` is made of it:
// node pcg-bridge/embedded/generation/semantics-table.ts
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { EXECUTE } from './nodes/index.ts'

/**
 * D1 to D9: the notes on the engine that this editor follows (seeds and streams, shapes, samplers, point and attribute
 * operations, flow, spawners). `docs`: the node reference of the engine. `own`: decided here, named in the README.
 */
type Source = 'D1' | 'D2' | 'D3' | 'D4' | 'D5' | 'D6' | 'D7' | 'D8' | 'D9' | 'docs' | 'own'
type Row = readonly [semantics: string, source: Source]

const PASS: Row = ['the data pass unchanged', 'docs']
export const SEMANTICS: Readonly<Record<string, Row>> = {
  PCGSurfaceSamplerSettings: ['one point in each cell of a world grid, placed by the stream of the cell', 'D4'],
  PCGVolumeSamplerSettings: ['one point at each whole multiple of the voxel inside, both borders included', 'own'],
  PCGSelectPointsSettings: ['a point whose stream draws below the ratio', 'D5'],
  PCGPointSamplerSettings: ['older name of Select Points', 'docs'],
  PCGPointFromMeshSettings: ['one point with the bounds of the mesh; here a cube of one metre', 'own'],
  PCGCreatePointsGridSettings: ['cells or corners of a box, X first, seeds from places', 'D4'],
  PCGCreatePointsSettings: ['the points listed, with their own density, colour, bounds and seed', 'D4'],
  PCGCreatePointsSphereSettings: ['points on a sphere: geodesic, by angle, by segment, random, Poisson', 'docs'],
  PCGTransformPointsSettings: [
    'offset, rotation and scale, of points or an attribute, from the stream of the point',
    'D5',
  ],
  PCGMutateSeedSettings: ['S3 of the seed of the place, of the node and of the point', 'D5'],
  PCGCopyPointsSettings: ['each source at each target, source first', 'docs'],
  PCGBoundsModifierSettings: ['set, intersect, include, translate, scale', 'D5'],
  PCGPointExtentsModifierSettings: ['half size set, limited, added, multiplied around the centre', 'D5'],
  PCGApplyScaleToBoundsSettings: ['box times scale; the sign of the scale stays', 'D5'],
  PCGResetPointCenterSettings: ['the pivot moves in the box, the box stays', 'D5'],
  PCGSplitPointsSettings: ['two boxes at a plane across an axis', 'D5'],
  PCGCombinePointsSettings: ['one point whose box holds all boxes', 'D5'],
  PCGDuplicatePointSettings: ['copies stepped by direction times box size', 'D5'],
  PCGDensityNoiseSettings: ['older name of Attribute Noise on the density', 'D5'],
  PCGDensityFilterSettings: ['densities between the bounds; zero is dropped unless kept', 'D5'],
  PCGDensityRemapSettings: ['linear from range to range, clamped to 0..1', 'D5'],
  PCGNormalToDensitySettings: ['(up · normal + offset) to the power 1 / strength', 'D5'],
  PCGSpatialNoiseSettings: ['patterns of the same kind as those of the engine, other numbers', 'own'],
  PCGDistanceSettings: ['the gap to the nearest target, between centres, spheres or boxes', 'D5'],
  PCGSelfPruningSettings: ['no two boxes overlap; by scaled size, equal within the factor, then by seed', 'D5'],
  PCGPointNeighborhoodSettings: ['means over the points in reach', 'D5'],
  PCGBlurSettings: ['weighted mean over the points in reach, repeated', 'docs'],
  PCGAttractSettings: ['moves towards a target by wt / (ws + wt) or a fixed weight', 'D5'],
  PCGClusterSettings: ['k-means, or EM: normal distributions, each as wide in all directions', 'own'],
  PCGConvexHull2DSettings: ['the corners of the outline seen from above', 'D5'],
  PCGCollapsePointsSettings: ['closest pairs below the threshold merge by weight, repeated', 'D5'],
  PCGCreateAttributeSetSettings: ['one row with a constant', 'D7'],
  PCGAddAttributeSettings: ['a constant or the attributes of a set on every row', 'D7'],
  PCGCopyAttributesSettings: ['attributes of sources on targets: respectively, merged, each on every', 'D7'],
  PCGAttributeTransferSettings: ['older name of Copy Attributes', 'D7'],
  PCGMetadataRenameSettings: ['the attribute under another name', 'D7'],
  PCGDeleteAttributesSettings: ['without the attributes named, or with those alone', 'D7'],
  PCGAttributeCastSettings: ['values as another type', 'D7'],
  PCGParseStringSettings: ['numbers, vectors and truths read from text', 'docs'],
  PCGAttributeNoiseSettings: ['a draw of the stream of the row, combined by mode', 'D5'],
  PCGAttributeRemapSettings: ['linear from range to range', 'D5'],
  PCGHashAttributeSettings: ['a number from the value; not that of the engine', 'own'],
  PCGGenerateSeedSettings: ['a seed for each row; not those of the engine', 'own'],
  PCGSortAttributesSettings: ['rows by value, stable', 'D7'],
  PCGMetadataPartitionSettings: ['one data for each value, in order of appearance', 'D7'],
  PCGAttributeRemoveDuplicatesSettings: ['the first row of each value', 'docs'],
  PCGAttributeReduceSettings: ['average, maximum, minimum, sum or joined text', 'D7'],
  PCGAttributeSelectSettings: ['the extreme or middle entry along an axis', 'D7'],
  PCGAttributeGetFromIndexSettings: ['the row at an index, from the end when negative', 'docs'],
  PCGAttributeGetFromPointIndexSettings: ['the row at an index as attribute and as point', 'docs'],
  PCGGetAttributesSettings: ['names and types of the attributes', 'docs'],
  PCGMergeAttributesSettings: ['rows of all sets, attributes of all', 'docs'],
  PCGMatchAndSetAttributesSettings: ['values of a set by equality, nearest within a distance, or weighted draw', 'D7'],
  PCGNumberOfPointsSettings: ['points of each data', 'docs'],
  PCGNumberOfEntriesSettings: ['rows of each data', 'docs'],
  PCGDataNumSettings: ['how many data arrive', 'docs'],
  PCGConvertToAttributeSetSettings: ['point properties as attributes', 'docs'],
  PCGConvertToPointDataSettings: ['attributes named like point properties as those', 'docs'],
  PCGMetadataMathsSettings: ['26 operations, number by number; not finite becomes zero', 'D7'],
  PCGMetadataTrigSettings: ['nine functions, arcs clamped to their domain', 'D7'],
  PCGMetadataCompareSettings: ['six comparisons; equality within the tolerance', 'D7'],
  PCGMetadataBitwiseSettings: ['and, or, xor, not over whole numbers', 'D7'],
  PCGMetadataBooleanSettings: ['and, or, xor, not over what is not zero', 'D7'],
  PCGMetadataStringOpSettings: ['append, replace', 'D7'],
  PCGMetadataVectorSettings: ['cross, dot, lengths, turns and transforms', 'D7'],
  PCGMetadataRotatorSettings: ['combine, invert, blend, change of frame', 'D7'],
  PCGMetadataMakeVectorSettings: ['of numbers, or of a shorter vector and numbers', 'D7'],
  PCGMetadataBreakVectorSettings: ['the numbers of a vector', 'D7'],
  PCGMetadataMakeTransformSettings: ['of place, turn and size', 'D7'],
  PCGMetadataBreakTransformSettings: ['place, turn and size', 'D7'],
  PCGMetadataMakeRotatorSettings: ['the first axis exactly, the second as near as a right angle allows', 'D7'],
  PCGAttributeFilteringSettings: ['rows whose value passes an operator', 'D7'],
  PCGAttributeFilteringRangeSettings: ['rows whose value lies in a range, open or closed', 'D7'],
  PCGFilterByTagSettings: ['data that carry a tag', 'D7'],
  PCGFilterByIndexSettings: ['data at places, written like slices', 'D7'],
  PCGFilterElementsByIndexSettings: ['rows at places, written or given', 'docs'],
  PCGFilterByTypeSettings: ['data of a type', 'D7'],
  PCGFilterByAttributeSettings: ['data that have an attribute, or whose values pass', 'D7'],
  PCGRandomChoiceSettings: ['a number or share of rows without repetition, in order', 'docs'],
  PCGRemoveEmptyDataSettings: ['data with rows', 'docs'],
  PCGCullPointsOutsideActorBoundsSettings: ['points inside the bounds of the actor, grown', 'D5'],
  PCGPointFilterSettings: ['points that a shape covers, the rest beside', 'docs'],
  PCGUnionSettings: ['all inputs, a place once with the density of all there, or every point', 'D6'],
  PCGDifferenceSettings: ['density less that of the others, by function', 'D6'],
  PCGInnerIntersectionSettings: ['where all inputs are', 'D6'],
  PCGIntersectionSettings: ['older name of Inner Intersection', 'D6'],
  PCGOuterIntersectionSettings: ['the primary source where each other pin is', 'D6'],
  PCGMergeSettings: ['points of all inputs in the order of their edges', 'D6'],
  PCGCollapseSettings: ['a shape as points', 'D6'],
  PCGMakeConcreteSettings: ['a composite evaluated', 'D6'],
  PCGGetBoundsSettings: ['the box around all, grown by what is not steep', 'D1'],
  PCGProjectionSettings: ['points moved onto the target', 'D6'],
  PCGSplineSamplerSettings: ['on, beside and inside curves, by exact arc length', 'D4'],
  PCGCreateSplineSettings: ['a curve through points', 'docs'],
  PCGReverseSplineSettings: ['the other direction, or a forced one', 'docs'],
  PCGGetSplineControlPointsSettings: ['control points with tangents', 'docs'],
  PCGSplineToSegmentSettings: [
    'one point for each segment, as long as that; angles, neighbours, tangents under names of our own',
    'docs',
  ],
  PCGCleanSplineSettings: ['without points on one spot or on a straight line', 'docs'],
  PCGCreateSurfaceFromSplineSettings: ['the inside of a closed curve', 'docs'],
  PCGSpawnSplineMeshSettings: ['an instance for each segment, counted', 'D9'],
  PCGSpawnSplineSettings: ['a component for each curve, counted', 'D9'],
  PCGDataFromActorSettings: ['shape, point or reference of actors', 'docs'],
  PCGGetSplineSettings: ['curves of actors', 'docs'],
  PCGGetVolumeSettings: ['volumes of actors', 'docs'],
  PCGGetPrimitiveSettings: ['boxes of actors', 'docs'],
  PCGGetLandscapeSettings: ['the ground below the component', 'docs'],
  PCGGetActorPropertySettings: ['name, label, class, place, turn or size of an actor', 'own'],
  PCGWorldRayHitSettings: ['a surface of the ground', 'own'],
  PCGWorldQuerySettings: ['a volume of the solid boxes', 'own'],
  PCGWorldRaycastElementSettings: ['points at the first hit of their ray', 'docs'],
  PCGAddTagSettings: ['tags added', 'docs'],
  PCGDeleteTagsSettings: ['tags left out, or those alone', 'docs'],
  PCGReplaceTagsSettings: ['each tag by the one at its place', 'docs'],
  PCGGetTagsSettings: ['tags as rows', 'docs'],
  PCGTagsToAttributeSetSettings: ['tags as attributes', 'docs'],
  PCGSortTagsSettings: ['data by the value of a tag', 'docs'],
  PCGBranchSettings: ['one of two outputs', 'D8'],
  PCGBooleanSelectSettings: ['one of two inputs', 'D8'],
  PCGSwitchSettings: ['the output of the option, else the default', 'D8'],
  PCGMultiSelectSettings: ['the input of the option, else the default', 'D8'],
  PCGQualityBranchSettings: ['the default: there is no quality level here', 'own'],
  PCGQualitySelectSettings: ['the default: there is no quality level here', 'own'],
  PCGGatherSettings: PASS,
  PCGRerouteSettings: PASS,
  PCGNamedRerouteDeclarationSettings: PASS,
  PCGNamedRerouteUsageSettings: PASS,
  PCGWaitSettings: ['order alone; no time passes here', 'own'],
  PCGWaitLandscapeReadySettings: PASS,
  PCGHiGenGridSizeSettings: ['the data pass: there is one level of execution here', 'own'],
  PCGDebugSettings: PASS,
  PCGVisualizeAttributeSettings: PASS,
  PCGSanityCheckPointDataSettings: ['an error on the node when the count is out of range', 'docs'],
  PCGPrintElementSettings: ['a message on the node; the data pass', 'docs'],
  PCGStaticMeshSpawnerSettings: ['a mesh for each point by weight or attribute, counted', 'D9'],
  PCGSpawnActorSettings: ['an actor for each point, counted', 'D9'],
  PCGSpawnInstancedActorsSettings: ['an instance for each point, counted', 'D9'],
  PCGCreateTargetActor: ['one actor and its reference, counted', 'D9'],
  PCGSubgraphSettings: ['the graph with the inputs and parameters', 'D8'],
  PCGLoopSettings: ['one run for each data on the loop pins; feedback carries', 'D8'],
  PCGUserParameterGetSettings: ['a parameter of the graph', 'D8'],
  PCGGenericUserParameterGetSettings: ['a parameter of this graph, the embedding one or the root', 'D8'],
  PCGGetLoopIndexSettings: ['the number of the run in a loop', 'D8'],
  PCGGetSubgraphDepthSettings: ['how deep the graph is embedded', 'docs'],
  PCGApplyHierarchySettings: ['each point by its relative transform below its parent, in order of depth', 'docs'],
  PCGSortPointsSettings: ['older name of Sort Attributes', 'docs'],
  PCGPointFilterRangeSettings: ['older name of Filter Attribute Elements by Range, constant or own attribute', 'docs'],
  PCGCreateAttributeSettings: ['a constant on every row, or on one row without an input', 'docs'],
  PCGMetadataOperationSettings: ['an attribute of a data under another name in it', 'D7'],
  PCGPointMatchAndSetSettings: [
    'a value for each point by attribute, by weight, or by weight within a category',
    'own',
  ],
  PCGDataAttributesToTagsSettings: [
    'attributes with one value for all rows as tags: here they are the data domain',
    'own',
  ],
  PCGTagsToDataAttributesSettings: ['tags as attributes with one value: whole number, number, text, truth', 'own'],
  PCGExtractAttributeSettings: ['the value at an index as a set', 'docs'],
  PCGMetadataTransformSettings: ['compose (the first, then the second), invert, lerp', 'D7'],
  PCGIndirectionSettings: ['runs as the class that its settings name', 'docs'],
  PCGSubdivideSegmentSettings: [
    'a point for each module along an axis of the segment; repeated parts grow in turn, what is scalable fills the rest',
    'docs',
  ],
  PCGSubdivideSplineSettings: [
    'a point for each module by length along the curve, on the chord under it, one centimetre to each side',
    'own',
  ],
  PCGDuplicateCrossSectionsSettings: [
    'a copy of the curve for each module along a vector; what a module says is a tag: curves have no attributes here',
    'own',
  ],
  PCGSelectGrammarSettings: ['the grammar of the first criterion of the key whose comparison holds', 'docs'],
  PCGPrintGrammarSettings: ['the grammar as it is understood, as a message on the node', 'docs'],
  PCGSplitSplinesSettings: [
    'the pieces between keys, distances or shares, as bent as before; the second pin has a name of our own',
    'docs',
  ],
  PCGSplineIntersectionSettings: [
    'one point where two curves, or one with itself, come as near as the threshold; or control points there',
    'docs',
  ],
  PCGPrimitiveCrossSectionSettings: [
    'outlines of a box at the heights of its corners, with the way to the next as a tag',
    'docs',
  ],
  PCGCreatePolygon2DSettings: [
    'the area of points or of a closed curve; an open one as wide as asked; always level',
    'docs',
  ],
  PCGPolygon2DOperationSettings: [
    'union, difference, intersection and exclusive or of areas; CutWithPaths is an error',
    'docs',
  ],
  PCGOffsetPolygon2DSettings: [
    'grown or shrunk; Open shrinks, then grows, Close the other way round; joins square, round, mitred',
    'docs',
  ],
  PCGClipPathsSettings: ['the parts of a path inside or outside of the polygons', 'docs'],
  PCGElevationIsolinesSettings: ['lines of equal height through a grid of the resolution', 'docs'],
  PCGPathfindingSettings: [
    'the cheapest way over points within the distance; fitness multiplies by 1 to 1 + factor',
    'own',
  ],
  PCGCreateEmptyDynamicMeshSettings: ['a mesh without triangles', 'docs'],
  PCGStaticMeshToDynamicMeshSettings: ['a cube of one metre: there are no mesh files here', 'own'],
  PCGAppendMeshesFromPointsSettings: ['a mesh at each point; each is a cube of one metre', 'own'],
  PCGDynamicMeshTransformSettings: ['corners moved by the transform', 'docs'],
  PCGMergeDynamicMeshesSettings: ['all meshes as one', 'docs'],
  PCGBooleanOperationSettings: ['union, intersection and subtraction of closed meshes; the trims are an error', 'docs'],
  PCGSpawnDynamicMeshSettings: ['a component for each mesh, counted', 'D9'],
  PCGGetDynamicMeshDataSettings: ['boxes of actors with a dynamic mesh', 'own'],
  PCGSplineToMeshSettings: ['the inside of a curve as triangles, half of the thickness above and half below', 'own'],
  PCGMeshSamplerSettings: ['middles of triangles, corners or scattered places of a cube of one metre', 'own'],
  PCGBoundsFromMeshSettings: ['bounds of a cube of one metre', 'own'],
  PCGCreateCollisionDataSettings: ['the bodies at all points as one volume; each is a cube of one metre', 'own'],
  PCGGetStaticMeshResourceDataSettings: ['one data for each mesh, here its path alone', 'own'],
  PCGLoadDataTableSettings: [
    'rows of a table as points or as a set, columns under their names or where they are mapped',
    'docs',
  ],
  PCGDataTableRowToParamDataSettings: ['one row of a table by its name', 'docs'],
  PCGTextureSamplerSettings: ['a PNG of the project laid over the actor or the level; density from a channel', 'own'],
  PCGSampleTextureSettings: ['colour and density of the picture at each point, merged by function', 'docs'],
  PCGGetPropertyFromObjectPathSettings: ['name, label, class, place, turn or size of the actors at the paths', 'own'],
  PCGAddComponentSettings: ['a component for each point, counted, and its reference', 'D9'],
  PCGSkinnedMeshSpawnerSettings: ['a mesh for each point by weight or attribute, counted', 'D9'],
  PCGGetWaterSplineSettings: ['curves of actors whose class is a body of water', 'docs'],
  PCGGetExecutionContextSettings: ['no graph runs in a game here', 'own'],
}

const folder = new URL('nodes/', import.meta.url)
const texts = readdirSync(folder)
  .filter((name) => /^semantics.*\.test\.ts$/.test(name))
  .map((name) => [`nodes/${name}`, readFileSync(new URL(name, folder), 'utf8')] as const)

const OPENS = /\b(?:it|describe)(\.each)?\(/g
const QUOTES = '\'"`'
const LONGEST_TITLE = 2000
/** The title of a test or group whose call begins at `at`; `%s` stands for the names in the table before it. */
function titleAt(text: string, at: number, hasTable: boolean): string {
  const end = hasTable ? text.indexOf(')(', at) : at
  const start = hasTable ? end + 2 : at
  const [quote = '', ...rest] = text.slice(start, start + LONGEST_TITLE).trimStart()
  if (end < 0 || !QUOTES.includes(quote)) return ''
  const title = rest.slice(0, rest.indexOf(quote)).join('')
  return title.includes('%s') ? `${text.slice(at, end)} ${title}` : title
}
function classesTitled(text: string): ReadonlySet<string> {
  const titles = [...text.matchAll(OPENS)].map(({ 0: call, 1: each, index }) =>
    titleAt(text, index + call.length, each !== undefined),
  )
  return new Set(titles.join(' ').match(/PCG\w+/g))
}
/** The files of tests on semantics, with their texts. */
export const semanticsTests = () => texts
const titled = texts.map(([file, text]) => [file, classesTitled(text)] as const)

/** The files that compute, without code of the engine, what the class must give: a test there has its name. */
export function testsOf(className: string): readonly string[] {
  return titled.filter(([, classes]) => classes.has(className)).map(([file]) => file)
}

export function semanticsReference(): string {
  const rows = Object.keys(EXECUTE).map((name) => {
    const [about = '', source = ''] = SEMANTICS[name] ?? []
    return `| \`${name}\` | ${about} | ${source} | ${testsOf(name).join(', ')} |`
  })
  return `# What the embedded editor computes

Every class that the embedded editor executes, with what it computes, where that is known from, and the tests that compare it with a calculation of their own. Any other class passes its input through, with a warning. A setting that a class takes and does not apply is named in a warning of the node (\`nodes/without-effect.ts\`).

Sources: D1 to D9 are notes on the engine (D1 points, D2 seeds and streams, D3 density, D4 samplers, D5 point operations, D6 sets, D7 attributes, D8 flow, D9 spawners); \`docs\` is the node reference of the engine; \`own\` is a decision of this project where the engine cannot be followed. Tests are below \`pcg-bridge/embedded/generation/\`. This page is generated: \`node pcg-bridge/embedded/generation/semantics-table.ts\`.

| Class | Semantics | Source | Tests |
|---|---|---|---|
${rows.join('\n')}
`
}

if (import.meta.main) writeFileSync(new URL('../../../docs/pcg-semantics.md', import.meta.url), semanticsReference())
