// Where a client connects to get the tools of a backend or a bundle.
import { CopyButton } from './CopyButton.tsx'

export function ServedAt({ path }: { readonly path: string }) {
  // The window of the desktop app has no address that a client could use.
  const origin = location.protocol.startsWith('http') ? location.origin : ''
  return (
    <span className="flex items-center gap-1">
      <code className="font-mono text-xs">{path}</code>
      <CopyButton text={`${origin}${path}`} label="Copy the address" />
    </span>
  )
}
