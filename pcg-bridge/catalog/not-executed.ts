// Classes of the catalogue that the embedded editor does not execute: their input passes through, with a warning.
const BARE = `
AddComponent AlignPoints AppendMeshesFromPoints ApplyHierarchy ApplyOnActor Blueprint BooleanOperation
BoundsFromMesh ClipPaths ConvertToDataView CopyToRenderTarget CreateAttribute CreateCollisionData
CreateEmptyDynamicMesh CreatePolygon2D CustomHLSL DataAttributesToTags DataTableRowToParamData
DataViewToString DownloadFromGPU DuplicateCrossSections DynamicMeshTransform EditPoints ElevationIsolines
ExportSelectedAttributes ExtractAttribute ExtractMemberFromStruct GenerateGrassMaps GenerateLandscapeTextures
GetActorDataLayers GetClassFromAttribute GetConsoleVariable GetDataInfo GetDynamicMeshData GetPCGComponent
GetPropertyFromObjectPath GetResourcePath GetStaticMeshResourceData GetTexture2DArrayData GetTextureInfo
GetVirtualTexture GetWaterSpline Indirection LoadAlembic LoadAsset LoadDataAsset LoadDataTable
MergeDynamicMeshes MeshSampler MetadataOperation MetadataTransform OffsetPolygon2D PartitionByActorDataLayers
Pathfinding PlatformSwitch PointFilterRange PointMatchAndSet Polygon2DOperation PrimitiveCrossSection
PrintGrammar ReplaceDataByTags SampleTexture SaveAsset SaveDataAsset SaveDataView SaveDynamicMeshToAsset
SaveTextureToAsset SceneCapture SelectGrammar ShaderFeatureLevelSwitch SkinnedMeshSpawner SortPoints
SpawnDynamicMesh SplineIntersection SplineToMesh SplitSplines StaticMeshToDynamicMesh SubdivideSegment
SubdivideSpline TagsToDataAttributes TextureSampler WriteToNiagaraDataChannel
`

/** Known before a run: a graph editor can mark them. */
export const NOT_EXECUTED: ReadonlySet<string> = new Set(
  BARE.trim()
    .split(/\s+/)
    .map((name) => (name === 'GetResourcePath' ? `PCG${name}` : `PCG${name}Settings`)),
)
