// A call with its details and links.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../api/api.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Sheet } from '../../ui/Dialog.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { formatMoment, formatSpan } from '../../ui/format.ts'
import { answererOf, keptOf } from './answered.ts'
import { Captured } from './Captured.tsx'
import { Replay } from './Replay.tsx'
import { curlOf, type LiveCall, nameOf } from './tail.ts'
import { useCaptured } from './use-captured.ts'

export function CallSheet({ call, onClose }: { readonly call: LiveCall | undefined; readonly onClose: () => void }) {
  const gatewayUrl = useQuery({ queryKey: ['gateway-url'], queryFn: () => api.connect.gatewayUrl(), staleTime: 60_000 })
  const captured = useCaptured(call)
  const row = captured.data
  return (
    <Sheet open={call !== undefined} onClose={onClose} title={call ? nameOf(call) : ''}>
      {call && (
        <div className="flex flex-col gap-4 p-4">
          <Facts
            title="The call"
            facts={[
              { name: 'Ended', value: formatMoment(call.at) },
              { name: 'Took', value: formatSpan(call.durationMs) },
              { name: 'Outcome', value: call.outcome },
              { name: 'Code', value: call.denyCode ?? call.failureKind },
              { name: 'Caller', value: call.principal },
              { name: 'Through', value: call.surface },
              { name: 'Backend', value: call.client },
              { name: 'Answered by', value: answererOf(call.target) },
              { name: 'Cache', value: keptOf(call.cache) },
              {
                name: 'Request id',
                value: (
                  <span className="flex items-center gap-1">
                    <code className="font-mono text-xs break-all">{call.requestId}</code>
                    <CopyButton text={call.requestId} label="Copy the request id" />
                  </span>
                ),
              },
              {
                name: 'Trace',
                value: call.traceId && (
                  <Link
                    to={`/traces/${call.traceId}`}
                    className="rounded font-mono text-xs break-all text-link hover:underline"
                  >
                    {call.traceId}
                  </Link>
                ),
              },
            ]}
          />
          <Captured call={call} captured={captured} />
          {row?.clientName && row.toolName && row.args && !row.argsRedacted && <Replay key={row.id} row={row} />}
          {call.client && call.tool && gatewayUrl.data && (
            <CodeBlock
              label="The same call with curl"
              text={curlOf(call, gatewayUrl.data.effectiveUrl, row?.args ?? undefined)}
            />
          )}
          {call.client && call.tool && (
            <Link
              to={`/tools/${call.client}/${encodeURIComponent(call.tool)}`}
              search={row?.args ? { view: 'run', captured: String(row.id) } : { view: 'run' }}
              className={buttonClass({})}
            >
              {row?.args ? 'Open in the runner' : 'Open in the runner'}
            </Link>
          )}
          {call.client && call.tool && (
            <Link
              to={`/tools/${call.client}/${encodeURIComponent(call.tool)}`}
              search={call.outcome === 'success' ? {} : { view: 'diagnosis' }}
              className={buttonClass({})}
            >
              {call.outcome === 'success'
                ? 'Open this tool'
                : call.outcome === 'refused'
                  ? 'Why was it refused?'
                  : 'Why did it fail?'}
            </Link>
          )}
        </div>
      )}
    </Sheet>
  )
}
