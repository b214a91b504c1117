// Calls of an editor's tools, typed by the catalogue; every failure is an ApiError with its code and request id.
import { ApiError, type PcgCallResult } from '#contract'
import type {
  Args,
  AuthoringArgs,
  AuthoringName,
  AuthoringOutput,
  InspectionArgs,
  InspectionName,
  InspectionOutput,
  Output,
  ToolName,
} from '#pcg-catalog'
import type { PatchReport, PatchStep } from '#pcg-contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'

/** Edits of one gesture share a batch and are undone together. */
export type Batch = { readonly batchId: string; readonly label: string }

/** Calls an editing tool; `onChange` runs if the editor recorded a change, which not every successful call does. */
export async function callTool<K extends ToolName>(
  editor: string,
  tool: K,
  args: Args<K>,
  batch?: Batch,
  onChange?: () => void,
): Promise<Output<K>> {
  const { result, changeId } = await answered(editor, tool, args, batch)
  if (changeId !== null) onChange?.()
  return result as Output<K> // the editor parsed it by the same catalogue
}

/** Calls a tool of the read-only toolset. */
export async function look<K extends InspectionName>(
  editor: string,
  tool: K,
  args: InspectionArgs<K>,
): Promise<InspectionOutput<K>> {
  const { result } = await answered(editor, tool, args)
  return result as InspectionOutput<K> // the editor parsed it by the same catalogue
}

/** Calls a tool of whole graphs. */
export async function author<K extends AuthoringName>(
  editor: string,
  tool: K,
  args: AuthoringArgs<K>,
): Promise<AuthoringOutput<K>> {
  const { result } = await answered(editor, tool, args)
  return result as AuthoringOutput<K> // the editor parsed it by the same catalogue
}

type Patching = { readonly editor: string; readonly graph: string; readonly steps: readonly PatchStep[] }
/** Changes a graph by a list of steps; `onChange` runs if that changed anything. */
export async function patchGraph(
  { editor, graph, steps }: Patching,
  batch: Batch,
  onChange: () => void,
): Promise<PatchReport> {
  const report = await api.pcg.patchGraph({ params: { name: editor }, body: { graph, steps: [...steps], ...batch } })
  if (report.changes.length > 0) onChange()
  return report
}

async function answered(editor: string, tool: string, args: object, batch?: Batch) {
  const answer = await api.pcg.call({
    params: { name: editor },
    // A person's gesture counts as the confirmation that agents must give.
    body: { tool, args: { ...args }, confirm: true, ...batch },
  })
  if (answer.ok && answer.result) return { result: answer.result, changeId: answer.changeId }
  throw failureOf(answer)
}

function failureOf({ error, refusal, requestId }: PcgCallResult): ApiError {
  const code = error?.code ?? refusal?.code ?? 'INTERNAL_ERROR'
  const message =
    error?.message ??
    (refusal
      ? t('The gateway refused this call at its {gate} gate', { gate: refusal.gate })
      : t('The editor gave no answer'))
  return new ApiError(409, { code, message, request_id: requestId })
}
