// Why an editor does not answer, in the words of a refusal.
import type { EditorActivity } from '../contract/index.ts'

export function reasonOf(activity: EditorActivity | null): string | null {
  if (activity === null) return null
  const { is, what, progress } = activity
  const far = progress === null ? '' : ` (${Math.round(progress * 100)} %)`
  switch (is) {
    case 'dialog':
      return `A window in the editor waits for an answer${what === null || what === '' ? '' : `: "${what}"`}. A person answers it in the studio or in the editor`
    case 'starting':
      return `The editor is starting${far}${what === null ? '' : `: ${what}`}`
    case 'busy':
      return `The editor is busy${what === null ? '' : ` with ${what}`}${far}`
    case 'compiling':
      return `The editor compiles ${what ?? 'code'}${far}`
    case 'playing':
      return 'The editor is in Play'
    case 'crashed':
      return `The editor crashed: ${what ?? 'no reason is known'}`
    case 'ready':
      return null
  }
}
