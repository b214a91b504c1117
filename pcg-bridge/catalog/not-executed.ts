// Classes of the catalogue that the embedded editor does not execute: their input passes through, with a warning.
const BARE = `
AlignPoints ApplyOnActor Blueprint ConvertToDataView CopyToRenderTarget CustomHLSL DataViewToString
DownloadFromGPU EditPoints ExportSelectedAttributes ExtractMemberFromStruct GenerateGrassMaps
GenerateLandscapeTextures GetActorDataLayers GetClassFromAttribute GetConsoleVariable GetDataInfo
GetPCGComponent GetResourcePath GetTexture2DArrayData GetTextureInfo GetVirtualTexture LoadAlembic LoadAsset
LoadDataAsset PartitionByActorDataLayers PlatformSwitch ReplaceDataByTags SaveAsset SaveDataAsset SaveDataView
SaveDynamicMeshToAsset SaveTextureToAsset SceneCapture ShaderFeatureLevelSwitch WriteToNiagaraDataChannel
`

/** Known before a run: a graph editor can mark them. */
export const NOT_EXECUTED: ReadonlySet<string> = new Set(
  BARE.trim()
    .split(/\s+/)
    .map((name) => (name === 'GetResourcePath' ? `PCG${name}` : `PCG${name}Settings`)),
)
