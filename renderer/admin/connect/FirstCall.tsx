// Watches for the first call with a new key: waiting, connected, done or refused.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, KeyRound, LoaderCircle, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { CallRow } from '#contract'
import { api } from '../../api/api.ts'
import { t, word } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { formatSpan } from '../../ui/format.ts'
import type { Minted } from './MintKey.tsx'

const EVERY_MS = 1_000

/** The newest call with a key, asked for until it succeeded. */
function useFirstCall(keyId: number): CallRow | undefined {
  const found = useQuery({
    queryKey: ['connect', 'first-call', keyId],
    queryFn: async () => (await api.usage.calls({ query: { keyId: String(keyId), limit: '1' } })).items[0] ?? null,
    refetchInterval: ({ state: { data } }) => (data?.outcome === 'success' ? false : EVERY_MS),
  })
  return found.data ?? undefined
}

export function FirstCall({ minted }: { readonly minted: Minted }) {
  const call = useFirstCall(minted.id)
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p className="flex items-center gap-2">
        <KeyRound aria-hidden className="size-4 shrink-0 text-ink-3" />
        {t('The key is filled in below. Copy it now: it is not shown again.')}
      </p>
      <State call={call} />
    </div>
  )
}

function State({ call }: { readonly call: CallRow | undefined }) {
  if (!call)
    return (
      <Line icon={<LoaderCircle className="size-4 animate-spin text-ink-3" />}>{t('Waiting for the first call…')}</Line>
    )
  const { tool, calledAs, outcome, durationMs, program, verdict } = call
  const name = tool || calledAs
  if (outcome === 'success')
    return (
      <Line icon={<Check className="size-4 text-ok" />}>
        {rich(
          program
            ? word('First call: {name} in {duration} from {program}. {link}')
            : word('First call: {name} in {duration}. {link}'),
          {
            name,
            duration: formatSpan(durationMs),
            program,
            link: (
              <Link to="/calls" className="text-link underline">
                {t('Show calls')}
              </Link>
            ),
          },
        )}
      </Line>
    )
  return (
    <Line icon={<TriangleAlert className="size-4 text-warn" />}>
      {outcome === 'refused' ? t('{name} was refused.', { name }) : t('{name} was not successful.', { name })}{' '}
      {verdict?.text} {verdict?.fix}
    </Line>
  )
}

function Line({ icon, children }: { readonly icon: ReactNode; readonly children: ReactNode }) {
  return (
    <p role="status" className="flex items-start gap-2">
      <span aria-hidden className="mt-0.5 shrink-0">
        {icon}
      </span>
      <span>{children}</span>
    </p>
  )
}
