// A stored editor and what is live of it, as the admin API shows them; its failures as answers.
import { EDITOR_DRIVERS, type EditorDriver, type EditorState, type HostedEditor } from '#pcg-contract'
import { PcgEditor } from '../contract/admin/pcg-records.ts'
import { GatewayError } from '../contract/error.ts'
import type { EditorRow } from '../storage/editors.ts'

/** The live part of a record: an editor, or why it has none. */
export type LiveEditor = { readonly hosted: HostedEditor } | { readonly hosted: null; readonly error: string }

/** An editor's failure is an error with a code. */
function editorFailure(error: unknown): { readonly code: string; readonly message: string } | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return /^[A-Z]+(_[A-Z]+)*$/.test(error.code) ? { code: error.code, message: error.message } : undefined
}

/** The failure of an editor as an answer of the admin API. */
export function apiError(error: unknown): unknown {
  const failure = editorFailure(error)
  if (!failure || error instanceof GatewayError) return error
  const { code, message } = failure
  const details = { code }
  if (code === 'EDITOR_BUSY' || code === 'EDITOR_UNAVAILABLE') return new GatewayError(code, message, { details })
  if (code === 'EDITOR_ERROR') return new GatewayError('EDITOR_UNAVAILABLE', message, { details })
  return new GatewayError('VALIDATION_ERROR', message, { details, fields: [{ path: 'graph', message }] })
}

const DOWN: Omit<EditorState, 'error'> = {
  status: 'error',
  project: null,
  level: null,
  engine: null,
  capabilities: [],
  queue: { running: null, waiting: 0 },
  latencyMs: null,
  lastSeenAt: null,
  activity: null,
  leases: [],
}

// Checked when it was stored.
export const driverOf = ({ driver }: EditorRow): EditorDriver =>
  EDITOR_DRIVERS.find((known) => known === driver) ?? 'embedded'

export function presentEditor(row: EditorRow, live: LiveEditor | undefined): PcgEditor {
  const state: EditorState = live?.hosted?.state() ?? { ...DOWN, error: live?.hosted === null ? live.error : null }
  return PcgEditor.parse({
    name: row.name,
    driver: driverOf(row),
    url: row.url,
    ...state,
    autoConnect: row.auto_connect === 1,
    sidecarDir: row.sidecar_dir,
    projectDir: row.project_dir,
    tokenSet: row.token !== null,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    createdBy: row.created_by,
  })
}
