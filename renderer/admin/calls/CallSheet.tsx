// A call with its details and links.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { CallRow } from '#contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Sheet } from '../../ui/Dialog.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { formatMoment, formatSpan } from '../../ui/format.ts'
import { wireWord } from '../../ui/wire-words.ts'
import { RefusalCard, type RefusedCall } from '../tools/RefusalCard.tsx'
import { answererOf, keptOf } from './answered.ts'
import { Captured } from './Captured.tsx'
import { callerOf, curlOf, nameOf, throughOf } from './call-words.ts'
import { Replay } from './Replay.tsx'
import { useCaptured } from './use-captured.ts'
import { Verdict } from './Verdict.tsx'

/** A value that leads to all calls with it. */
function Same({
  about,
  search,
  children,
}: {
  readonly about: string
  readonly search: Readonly<Record<string, string>>
  readonly children: ReactNode
}) {
  return (
    <Link
      to="/calls"
      search={search}
      title={t('All calls of this {about}', { about })}
      className="rounded text-link hover:underline"
    >
      {children}
    </Link>
  )
}

function CallFacts({ call }: { readonly call: CallRow }) {
  return (
    <Facts
      title={t('The call')}
      facts={[
        { name: t('Ended'), value: formatMoment(call.at) },
        { name: t('Took'), value: formatSpan(call.durationMs) },
        { name: t('Outcome'), value: wireWord(call.outcome) },
        { name: t('Code'), value: call.denyCode ?? call.failureKind },
        {
          name: t('Caller'),
          value: (
            <Same
              about={t('caller')}
              search={call.keyId === null ? { caller: call.principal } : { key: String(call.keyId) }}
            >
              {callerOf(call)}
            </Same>
          ),
        },
        {
          name: t('Client program'),
          value: call.program && (
            <Same about={t('client program')} search={{ program: call.program }}>
              {call.program}
            </Same>
          ),
        },
        {
          name: t('Consumer'),
          value: call.consumerId && (
            <Same about={t('consumer')} search={{ consumer: String(call.consumerId) }}>
              {call.consumerName ?? t('Consumer {consumerId}', { consumerId: call.consumerId })}
            </Same>
          ),
        },
        { name: t('Through'), value: throughOf(call) },
        {
          name: t('Backend'),
          value: call.client && (
            <Same about={t('backend')} search={{ client: call.client }}>
              {call.client}
            </Same>
          ),
        },
        { name: t('Answered by'), value: answererOf(call.target) },
        { name: t('Cache'), value: keptOf(call.cache) },
        {
          name: t('Request id'),
          value: (
            <span className="flex items-center gap-1">
              <code className="font-mono text-xs break-all">{call.requestId}</code>
              <CopyButton text={call.requestId} label={t('Copy the request id')} />
            </span>
          ),
        },
        {
          name: t('Trace'),
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
  )
}

const refusedOf = (call: CallRow, verdict: RefusedCall['verdict']): RefusedCall => ({
  client: call.client,
  tool: call.tool ?? '',
  code: call.denyCode,
  keyId: call.keyId,
  consumerId: call.consumerId,
  verdict,
})

export function CallSheet({ call, onClose }: { readonly call: CallRow | undefined; readonly onClose: () => void }) {
  const gatewayUrl = useQuery({ queryKey: ['gateway-url'], queryFn: () => api.connect.gatewayUrl(), staleTime: 60_000 })
  const captured = useCaptured(call)
  const row = captured.data
  return (
    <Sheet open={call !== undefined} onClose={onClose} title={call ? nameOf(call) : ''}>
      {call && (
        <div className="flex flex-col gap-4 p-4">
          {call.verdict && (
            <>
              {call.tool && <RefusalCard call={refusedOf(call, call.verdict)} />}
              <Verdict call={call} verdict={call.verdict} />
            </>
          )}
          <CallFacts call={call} />
          <Captured call={call} captured={captured} />
          {row?.clientName && row.toolName && row.args && !row.argsRedacted && <Replay key={row.id} row={row} />}
          {call.client && call.tool && gatewayUrl.data && (
            <CodeBlock
              label={t('The same call with curl')}
              text={curlOf(call, gatewayUrl.data.effectiveUrl, row?.args ?? undefined)}
            />
          )}
          {call.client && call.tool && (
            <Link
              to={`/tools/${call.client}/${encodeURIComponent(call.tool)}`}
              search={row?.args ? { view: 'run', captured: String(row.id) } : { view: 'run' }}
              className={buttonClass({})}
            >
              {t('Open in the runner')}
            </Link>
          )}
          {call.client && call.tool && (
            <Link
              to={`/tools/${call.client}/${encodeURIComponent(call.tool)}`}
              search={call.outcome === 'success' ? {} : { view: 'diagnosis' }}
              className={buttonClass({})}
            >
              {call.outcome === 'success'
                ? t('Open this tool')
                : call.outcome === 'refused'
                  ? t('Why was it refused?')
                  : t('Why did it fail?')}
            </Link>
          )}
        </div>
      )}
    </Sheet>
  )
}
