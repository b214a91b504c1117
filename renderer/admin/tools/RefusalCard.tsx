// Why a call was refused, with the field or the action that removes the reason.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleSlash } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type CallVerdict, mayUse, type ToolDetail } from '#contract'
import { api } from '../../api/api.ts'
import { useActor } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { submitting } from '../../ui/submitting.ts'
import { useSubmit } from '../../ui/use-mounted.ts'
import { useChanges } from '../../ui/use-records.ts'

/** A refused call: of the tool runner or of the list of calls. */
export type RefusedCall = {
  readonly client: string | null
  readonly tool: string
  readonly code: string | null
  readonly keyId: number | null
  readonly consumerId?: number | null
  readonly verdict: Pick<CallVerdict, 'text' | 'setting' | 'value' | 'fix'>
}
type Of = { readonly call: RefusedCall; readonly tool: ToolDetail }

export function RefusalCard({ call }: { readonly call: RefusedCall }) {
  const { client, tool, code, verdict } = call
  const operates = mayUse(useActor(), 'operator')
  const found = useQuery({
    queryKey: ['tools', 'one', client, tool],
    queryFn: () => api.tools.get({ params: { name: client ?? '', tool } }),
    enabled: operates && client !== null && tool !== '' && code !== null && code in FIXES,
    retry: false,
  })
  const Fix = FIXES[code ?? '']
  return (
    <section aria-label={t('Why it was refused')} className="card border-l-4 border-l-warn-solid px-5 py-4 text-sm">
      <p className="flex gap-2 font-medium">
        <CircleSlash aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
        {verdict.text}
      </p>
      {verdict.fix && <p className="mt-1 ml-6 text-ink-2">{verdict.fix}</p>}
      {Fix && found.data && (
        <div className="mt-3 ml-6">
          <Fix call={call} tool={found.data} />
        </div>
      )}
      {!Fix && <Elsewhere call={call} />}
    </section>
  )
}

/** By the code of the refusal. */
const FIXES: Readonly<Record<string, (of: Of) => ReactNode>> = {
  rate_limit: RateLimit,
  disabled: ({ call, tool }) =>
    call.verdict.setting === 'backend.enabled' ? (
      <Act
        title={t('Enable the backend {client}', { client: tool.client })}
        done={t('{client} enabled', { client: tool.client })}
        run={() => api.clients.setEnabled({ body: { names: [tool.client], enabled: true } })}
      />
    ) : (
      <Act
        title={t('Enable {tool}', { tool: tool.tool })}
        done={t('{tool} enabled', { tool: tool.tool })}
        run={() => patch(tool, { enabled: true })}
      />
    ),
  allowed_key: ({ call: { keyId }, tool }) =>
    keyId === null ? null : (
      <Act
        title={t('Allow this key')}
        done={t('The key may call {tool}', { tool: tool.tool })}
        run={() => patch(tool, { guards: { allowedKeyIds: [...(tool.guards?.allowedKeyIds ?? []), keyId] } })}
      />
    ),
  confirm_required: ({ tool }) => (
    <Act
      title={t('Mark as not sensitive')}
      done={t('{tool} needs no confirmation', { tool: tool.tool })}
      run={() => patch(tool, { sensitive: false })}
    />
  ),
  quarantine: ({ tool }) => (
    <Act
      title={t('Clear the quarantine')}
      done={t('{tool} is in use again', { tool: tool.tool })}
      run={() => api.tools.clearQuarantine({ params: { name: tool.client, tool: tool.tool } })}
    />
  ),
  circuit_open: ({ tool }) => (
    <Act
      title={t('Reset the circuit breaker')}
      done={t('The circuit breaker of {client} is closed', { client: tool.client })}
      run={() => api.clients.resetBreaker({ params: { name: tool.client } })}
    />
  ),
}

type Patch = NonNullable<Parameters<typeof api.tools.update>[0]['body']>
const patch = ({ client, tool, revision }: ToolDetail, body: Patch) =>
  api.tools.update({ params: { name: client, tool }, body: { ...body, revision } })

/** A change with an Apply button: of a setting that has no value to choose. */
function Act({
  title,
  done,
  run,
}: {
  readonly title: string
  readonly done: string
  readonly run: () => Promise<unknown>
}) {
  const changes = useChanges('clients', 'tools', 'overview')
  const apply = useSubmit(
    () => changes.run(run(), done),
    () => undefined,
  )
  return (
    <>
      <Button busy={apply.isPending} disabled={apply.isSuccess} onClick={() => apply.mutate(undefined)}>
        {title}
      </Button>
      {apply.error && <ErrorNote error={apply.error} className="mt-3" />}
    </>
  )
}

function RateLimit({ call, tool }: Of) {
  const now = tool.guards?.rateLimitPerMin ?? call.verdict.value
  const changes = useChanges('clients', 'tools', 'overview')
  const [text, setText] = useState(String(now ?? ''))
  const wanted = Number(text)
  const apply = useSubmit(
    () =>
      changes.run(
        patch(tool, { guards: { rateLimitPerMin: wanted } }),
        t('{tool} may be called {wanted} times per minute', { tool: tool.tool, wanted }),
        (changed) => patch(changed, { guards: { rateLimitPerMin: tool.guards?.rateLimitPerMin ?? null } }),
      ),
    () => undefined,
  )
  const valid = Number.isInteger(wanted) && wanted > 0
  return (
    <form className="flex flex-wrap items-end gap-2" onSubmit={submitting(() => valid && apply.mutate(undefined))}>
      <div className="w-40">
        <Field
          label={t('Calls per minute')}
          inputMode="numeric"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <Button type="submit" busy={apply.isPending} disabled={!valid || wanted === now}>
        {t('Apply')}
      </Button>
      {apply.error && <ErrorNote error={apply.error} className="w-full" />}
    </form>
  )
}

/** The page that decides, where it is not the tool's. */
function Elsewhere({ call: { code, keyId, consumerId, client, tool } }: { readonly call: RefusedCall }) {
  const places: Readonly<Record<string, { readonly to: string; readonly title: string } | false>> = {
    key_scope: keyId !== null && { to: `/keys/${keyId}`, title: t('Change the access of the key') },
    KEY_SCOPE: keyId !== null && { to: `/keys/${keyId}`, title: t('Change the access of the key') },
    quota:
      consumerId == null
        ? { to: '/budgets', title: t('Show the budgets') }
        : { to: `/consumers/${consumerId}`, title: t('Change the quota of the consumer') },
    approval: { to: '/approvals', title: t('Show the waiting call') },
    unreachable: client !== null && { to: `/backends/${client}`, title: t('Check the backend {client}', { client }) },
    guardrail_input: client !== null && {
      to: `/tools/${client}/${encodeURIComponent(tool)}`,
      title: t('Show {tool}', { tool }),
    },
  }
  const place = places[code ?? '']
  if (!place) return null
  return (
    <Link to={place.to} className="mt-2 ml-6 inline-block rounded text-link underline">
      {place.title}
    </Link>
  )
}
