// Settings that executing classes take and do not apply: a value set there is named in a warning of the node.

const ACTORS = 'ComponentSelector bAlsoOutputSinglePointData bMergeSinglePointData bGetDataOnAllGrids AllowedGrids'
const DOMAINS = 'bCopyAllDomains MetadataDomainsMapping'

/** They change the data in the engine. */
const BY_CLASS: Readonly<Record<string, string>> = {
  PCGSpatialNoiseSettings:
    'EdgeMask2DMode bTiling bVoronoiOrientSamplesToCellEdge TiledVoronoiResolution TiledVoronoiEdgeBlendCellCount EdgeBlendDistance EdgeBlendCurveOffset EdgeBlendCurveIntensity',
  PCGCollapsePointsSettings: 'VisitOrder VisitOrderAttribute AttributesToMerge',
  PCGAddAttributeSettings: DOMAINS,
  PCGCopyAttributesSettings: DOMAINS,
  PCGDeleteAttributesSettings: 'MetadataDomain',
  PCGGenerateSeedSettings: 'bResetSeedPerInput',
  PCGParseStringSettings: 'OutputDataFromPin',
  PCGAttributeRemapSettings: 'OutputDataFromPin',
  PCGMetadataPartitionSettings: 'bDoNotPartition',
  PCGGetAttributesSettings: 'bGetDefaultValue',
  PCGMatchAndSetAttributesSettings: 'bUseInputWeightAttribute InputWeightAttribute',
  PCGMetadataMathsSettings: 'bForceOpToDouble',
  PCGFilterByAttributeSettings: 'MetadataDomain bIgnoreProperties',
  PCGRandomChoiceSettings: 'bUseFirstAttributeOnly',
  PCGDifferenceSettings: 'bDiffMetadata',
  PCGInnerIntersectionSettings: 'bTagOutputsBasedOnInputs',
  PCGIntersectionSettings: 'bTagOutputsBasedOnInputs',
  PCGOuterIntersectionSettings: 'bTagOutputsBasedOnInputs',
  PCGMergeSettings: 'bMergeMetadata',
  PCGProjectionSettings: 'bForceCollapseToPoint',
  PCGCleanSplineSettings: 'bUseSplineLocalSpace',
  PCGDataFromActorSettings: ACTORS,
  PCGGetSplineSettings: ACTORS,
  PCGGetVolumeSettings: ACTORS,
  PCGGetPrimitiveSettings: ACTORS,
  PCGGetLandscapeSettings: `${ACTORS} SamplingProperties`,
  PCGGetActorPropertySettings: 'bSelectComponent ComponentClass bProcessAllComponents bOutputComponentReference',
  PCGWorldRayHitSettings: 'CollisionShape QueryParams',
  PCGWorldQuerySettings: 'QueryParams',
  PCGWorldRaycastElementSettings: 'CollisionShape OriginInputAttribute WorldQueryParams',
  PCGAddTagSettings: 'bIgnoreTagValueParsing',
  PCGGetTagsSettings: 'bExtractTagValues',
  PCGSwitchSettings: 'EnumSelection',
  PCGMultiSelectSettings: 'EnumSelection',
  PCGQualityBranchSettings: 'bUseLowPin bUseMediumPin bUseHighPin bUseEpicPin bUseCinematicPin',
  PCGQualitySelectSettings: 'bUseLowPin bUseMediumPin bUseHighPin bUseEpicPin bUseCinematicPin',
  PCGHiGenGridSizeSettings: 'HiGenGridSize',
  PCGWaitSettings: 'WaitTimeInSeconds WaitTimeInEngineFrames WaitTimeInRenderFrames',
  PCGSpawnSplineSettings:
    'bSpawnComponentFromAttribute SpawnComponentFromAttributeName bOutputSplineComponentReference ComponentReferenceAttributeName',
  PCGMetadataOperationSettings: 'Operation',
  PCGSubdivideSegmentSettings: 'bOutputExtremityNeighborIndexAttribute ExtremityNeighborIndexAttributeName',
  PCGSubdivideSplineSettings: 'ModuleHeightAttribute ModulePlacementTolerance',
  PCGDuplicateCrossSectionsSettings: 'ExtrudeVectorAttribute',
  PCGCreatePolygon2DSettings: 'DefaultPolygonNormal',
  PCGPolygon2DOperationSettings: 'MetadataMode',
  PCGPathfindingSettings: 'bUsePathTraces PathTraceParams',
  PCGBooleanOperationSettings: 'BooleanOperationOptions',
  PCGSplineToMeshSettings:
    'ErrorTolerance FlattenMethod CurveOffset OffsetClosedCurves EndShapes JoinMethod MiterLimit',
  PCGMeshSamplerSettings:
    'bUseColorChannelAsDensity ColorChannelAsDensity bVoxelize VoxelSize bRemoveHiddenTriangles NonUniformSamplingOptions bExtractUVAsAttribute UVAttributeName UVChannel bOutputMaterialInfo MaterialIdAttributeName MaterialAttributeName',
  PCGTextureSamplerSettings:
    'TextureArrayIndex TexelSize bUseAdvancedTiling Tiling CenterOffset Rotation bUseTileBounds TileBoundsMin TileBoundsMax',
  PCGGetDynamicMeshDataSettings: ACTORS,
  PCGGetWaterSplineSettings: ACTORS,
  PCGIndirectionSettings: 'BlueprintElementClass bTagOutputsBasedOnOutputPins',
  PCGGetSubgraphDepthSettings: 'DistanceRelativeToUpstreamGraph',
}

/** They name what does not exist here, or say how something looks or is reported. */
const IMMATERIAL = `
  bExtractMaterials RequestedLODType RequestedLODIndex OverrideMaterials CollisionQueryFlag bSkipReadbackToCPU
  bForceEditorOnlyCPUSampling Options SkinnedMeshComponentPropertyOverrides bAllowTemplateComponentEditing
  TemplateComponent ActorReferenceAttribute
  TargetActor PostProcessFunctionNames PostSpawnFunctionNames bSynchronousLoad PropertyOverrideDescriptions
  SplineMeshParams SplineMeshOverrideDescriptions SplineMeshParamsOverride StaticMeshComponentPropertyOverrides
  InstanceDataPackerType bAllowDescriptorChanges bAllowMergeDifferentDataInSameInstancedComponents MeshSelectorType
  bApplyMeshBoundsToPoints Option bForceDisableActorParsing GenerationTrigger bInheritActorTags TagsToAddOnActors
  TemplateActor SpawnedActorPropertyOverrideDescriptions RootActor AttachOptions bDeleteActorsBeforeGeneration
  DataLayerSettings HLODSettings bAllowTemplateActorEditing
  bTrackActorsOnlyWithinBounds bAlwaysRequeryActors bComponentsMustOverlapSelf bIgnorePCGGeneratedComponents
  ExpectedPins bOutputActorReference bForceObjectAndStructExtraction bSanitizeOutputAttributeName
  bWarnOnAttributeCast bWarnOnDataMissingAttribute bWarnOnIdenticalSpawn bSilenceOverrideAttributeNotFoundErrors
  bSilenceReservedAttributeNameWarnings bSilenceSanitizedAttributeNameWarnings bMuteOnEmptyClass bQuiet
  bQuietInvalidDepthQueries bExactCount bEndWaitWhenAllConditionsAreMet bUseGraphDefaultPinUsage Declaration
  bShowInputPin AttributeSource CustomPrefixString bPrefixWithIndex bPrefixWithAttributeName LocalOffset Duration
  PointLimit bVisualizeEnabled Verbosity CustomPrefix bDisplayOnNode bPrintPerComponent bPrintToScreen
  PrintToScreenDuration PrintToScreenColor bPrefixWithOwner bPrefixWithComponent bPrefixWithGraph bPrefixWithNode`

const listed = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((name) => name !== ''))

export const WITHOUT_EFFECT: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries(BY_CLASS).map(([name, text]) => [name, listed(text)]),
)
export const IMMATERIAL_SETTINGS = listed(IMMATERIAL)
