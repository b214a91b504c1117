// A tool and its backend, on one line.

export const ToolName = ({ client, tool }: { readonly client: string | null; readonly tool: string | null }) => (
  <span className="flex min-w-0 items-baseline gap-2">
    <code className="truncate text-[0.8125rem] font-medium">{tool ?? '–'}</code>
    {client && <span className="truncate text-xs text-ink-3">{client}</span>}
  </span>
)
