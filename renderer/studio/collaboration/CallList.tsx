// A preview of tool calls, in order.
type NamedCall = { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }

/** The arguments as text, without the path of the open graph. */
function textOf(args: NamedCall['args']): string {
  return Object.entries(args)
    .filter(([key]) => key !== 'pcg_graph_path')
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? short(value) : JSON.stringify(value)}`)
    .join(' · ')
}

/** A 32-bit number has no more digits than these. */
const short = (text: string): string =>
  /^-?\d+\.\d{8,}$/.test(text) ? String(Number(Number(text).toPrecision(7))) : text

export function CallList({ label, calls }: { readonly label: string; readonly calls: readonly NamedCall[] }) {
  return (
    <ol
      aria-label={label}
      className="max-h-72 divide-y divide-line overflow-y-auto rounded-md border border-line text-xs"
    >
      {calls.map(({ tool, args }, index) => (
        <li key={`${index} ${tool}`} className="flex gap-2.5 px-3 py-1.5">
          <span className="w-5 shrink-0 text-right text-ink-3 tabular-nums">{index + 1}</span>
          <div className="min-w-0">
            <code className="font-mono font-medium">{tool}</code>
            <p className="break-words text-ink-2">{textOf(args)}</p>
          </div>
        </li>
      ))}
    </ol>
  )
}
