// The diagnosis of one tool.
import type { diagnosis } from '../contract/admin/diagnosis.ts'
import type { Diagnoses } from '../operations/tools/diagnosis.ts'
import type { Handlers } from './mount.ts'

export function diagnosisHandlers({ diagnoses }: { readonly diagnoses: Diagnoses }): Handlers<typeof diagnosis> {
  return {
    diagnose: ({ params, query }, { actor }) => diagnoses.diagnose(actor, params.name, params.tool, query.windowMs),
  }
}
