// The captured request and response of a call, or how to turn capture on.
import { Link } from '@tanstack/react-router'
import type { CallRow, TrafficRow } from '#contract'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { ErrorNote } from '../../ui/ErrorState.tsx'
import { JsonView } from '../../ui/JsonView.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import type { useCaptured } from './use-captured.ts'

type Props = {
  readonly call: CallRow
  readonly captured: Pick<ReturnType<typeof useCaptured>, 'data' | 'error' | 'isPending'>
}

export function Captured({ call, captured: { data: row, error, isPending } }: Props) {
  if (isPending) return <Skeleton className="h-24 w-full" />
  if (error) return <ErrorNote error={error} />
  return row ? <Kept row={row} /> : <NotKept call={call} />
}

function Kept({ row }: { readonly row: TrafficRow }) {
  return (
    <>
      <section aria-label={t('Arguments')} className="grid gap-1.5">
        <h2 className="eyebrow flex items-center gap-2">
          {t('Arguments')}
          {row.argsRedacted && row.args && <Badge tone="outline">{t('cleaned')}</Badge>}
        </h2>
        {row.args ? (
          <JsonView value={row.args} label={t('arguments')} />
        ) : (
          <p className="text-xs text-ink-2">{t('Not stored.')}</p>
        )}
      </section>
      <section aria-label={t('Answer')} className="grid gap-1.5">
        <h2 className="eyebrow flex items-center gap-2">
          {t('Answer')}
          {row.previewTruncated && <Badge tone="outline">{t('truncated')}</Badge>}
        </h2>
        {row.preview === '' ? (
          <p className="text-xs text-ink-2">{t('Empty, or not stored.')}</p>
        ) : (
          <Preview text={row.preview} />
        )}
      </section>
    </>
  )
}

function Preview({ text }: { readonly text: string }) {
  const value = jsonIn(text)
  return value === undefined ? (
    <CodeBlock label={t('Answer')} text={text} />
  ) : (
    <JsonView value={value} label={t('answer')} />
  )
}

function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function NotKept({ call: { client, tool } }: { readonly call: CallRow }) {
  return (
    <p className="rounded-md bg-sunken px-3 py-2 text-xs leading-5 text-ink-2">
      {t('Request and response were not captured.')}{' '}
      {client && tool ? (
        <>
          {rich('Switch on {link}, or start the gateway with {code} for every call.', {
            link: (
              <Link
                to={`/tools/${client}/${encodeURIComponent(tool)}`}
                search={{ view: 'features' }}
                className="rounded text-link underline"
              >
                {t('Capture of this tool')}
              </Link>
            ),
            code: <code className="font-mono">TRAFFIC_CAPTURE=true</code>,
          })}
        </>
      ) : (
        <>
          {rich('Start the gateway with {code} to keep it of every call.', {
            code: <code className="font-mono">TRAFFIC_CAPTURE=true</code>,
          })}
        </>
      )}
    </p>
  )
}
