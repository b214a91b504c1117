// The endpoint of a backend or bundle.

import { t } from '../language/language.ts'
import { CopyButton } from './CopyButton.tsx'

export function ServedAt({ path }: { readonly path: string }) {
  // The desktop window has no HTTP origin.
  const origin = location.protocol.startsWith('http') ? location.origin : ''
  return (
    <span className="flex items-center gap-1">
      <code className="font-mono text-xs">{path}</code>
      <CopyButton text={`${origin}${path}`} label={t('Copy the address')} />
    </span>
  )
}
