// The door `#pcg-contract`: what editors of procedural content, the gateway that hosts them and the studio agree on. Pure: zod only.
export { ChangeList, EditorActivity, EditorDialog, GraphLease } from './activity.ts'
export { Change, EDIT_SOURCES, NamedCall, UndoResult, type UndoSelection } from './change.ts'
export {
  Assertion,
  AssertionResult,
  Bounds,
  GraphTests,
  NodeMeasure,
  USUAL_SEED,
  USUAL_VOLUME,
} from './checks.ts'
export {
  CAPABILITIES,
  type Capability,
  EDITOR_DRIVERS,
  type EditorDriver,
  EditorState,
  type EditorStatus,
  FoundEditor,
  PCG_CODES,
  type PcgCode,
  UNREAL_DRIVERS,
  type UnrealDriver,
} from './editor.ts'
export { EditorEvent, type GenerationPhase } from './event.ts'
export type {
  CallContext,
  CallResult,
  EditorHost,
  EditorSpec,
  GraphDifference,
  GraphSnapshot,
  HostedEditor,
  HostedPage,
  HostedTool,
  Progress,
  Toolset,
} from './hosted.ts'
export { CommentBox, GraphLayout, StoredLayout } from './layout.ts'
export { LEVEL_RESOLUTION, LevelReport, type LevelShapes } from './level.ts'
export { PatchReport, PatchStep } from './patch.ts'
export { GraphDocument, TransferReport } from './transfer.ts'
