// One call in full, and where to go from it.
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Sheet } from '../../ui/Dialog.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { formatMoment, formatSpan } from '../../ui/format.ts'
import type { LiveCall } from './tail.ts'

export function CallSheet({ call, onClose }: { readonly call: LiveCall | undefined; readonly onClose: () => void }) {
  return (
    <Sheet open={call !== undefined} onClose={onClose} title={call?.tool ?? ''}>
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
              {
                name: 'Request id',
                value: (
                  <span className="flex items-center gap-1">
                    <code className="font-mono text-xs break-all">{call.requestId}</code>
                    <CopyButton text={call.requestId} label="Copy the request id" />
                  </span>
                ),
              },
            ]}
          />
          {call.client && (
            <Link
              to={`/tools/${call.client}/${encodeURIComponent(call.tool)}`}
              search={{ view: 'run' }}
              className={buttonClass({})}
            >
              Try this tool
            </Link>
          )}
          {call.client && (
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
