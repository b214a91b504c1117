// The result of a call: outcome, layers, and output.
import { Check, CircleSlash, Minus, X, Zap } from 'lucide-react'
import type { TestResult } from '#contract'
import { t } from '../../../language/language.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { cx } from '../../../ui/cx.ts'
import { formatSpan } from '../../../ui/format.ts'
import { JsonView } from '../../../ui/JsonView.tsx'
import { wireWord } from '../../../ui/wire-words.ts'
import { remarksOf } from '../../calls/answered.ts'
import { RefusalCard, type RefusedCall } from '../RefusalCard.tsx'
import { AnswerValue } from './AnswerValue.tsx'
import { OUTCOME_TONES } from './outcome-tones.ts'

/** `of`: the tool that was run, and the key that it was run as. */
export function Answer({
  answer,
  of,
}: {
  readonly answer: TestResult
  readonly of?: Pick<RefusedCall, 'client' | 'tool' | 'keyId'>
}) {
  const { outcome, code, gate, failureKind, durationMs, requestId } = answer
  return (
    <div className="flex flex-col gap-5 px-6 py-5">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Badge tone={OUTCOME_TONES[outcome]} dot>
          {wireWord(outcome)}
        </Badge>
        {(code ?? failureKind) && <code className="font-mono text-xs">{code ?? failureKind}</code>}
        {gate && <span className="text-xs text-ink-3">{t('by {gate}', { gate })}</span>}
        <span className="text-ink-2">{formatSpan(durationMs)}</span>
        {remarksOf(answer.result._meta).map((remark) => (
          <Badge key={remark} tone="outline">
            {remark}
          </Badge>
        ))}
        <span className="flex items-center gap-1 font-mono text-2xs text-ink-3">
          {requestId}
          <CopyButton text={requestId} label={t('Copy the request id')} />
        </span>
      </header>
      {of && outcome === 'refused' ? (
        <RefusalCard
          call={{ ...of, code, verdict: { text: sentenceOf(answer), setting: null, value: null, fix: null } }}
        />
      ) : (
        <Content answer={answer} />
      )}
      <Pipeline stages={answer.pipeline} />
      <details>
        <summary className="rounded text-xs font-medium text-ink-2">{t('The whole result as JSON')}</summary>
        <div className="mt-2">
          <JsonView value={answer.result} label={t('result')} />
        </div>
      </details>
    </div>
  )
}

const sentenceOf = ({ result }: TestResult): string =>
  result.content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : [])).join(' ')

function Content({ answer: { result } }: { readonly answer: TestResult }) {
  if (result.structuredContent !== undefined) return <AnswerValue value={result.structuredContent} />
  return (
    <div className="flex flex-col gap-2">
      {result.content.map((block, index) => (
        <Block key={`${index}`} block={block} />
      ))}
    </div>
  )
}

function Block({ block }: { readonly block: Readonly<Record<string, unknown>> }) {
  const { type, text, data, mimeType } = block
  if (type === 'text' && typeof text === 'string') {
    const value = parsed(text)
    return value === undefined ? (
      <pre className="overflow-x-auto rounded-md border border-line bg-sunken px-3 py-2.5 font-mono text-xs leading-5 break-words whitespace-pre-wrap">
        {text}
      </pre>
    ) : (
      <AnswerValue value={value} />
    )
  }
  // Only image types: the browser must not interpret other content of a tool.
  if (
    type === 'image' &&
    typeof data === 'string' &&
    typeof mimeType === 'string' &&
    /^image\/(png|jpeg|gif|webp)$/.test(mimeType)
  )
    return (
      <img
        alt={t('Response')}
        src={`data:${mimeType};base64,${data}`}
        className="max-h-96 rounded-md border border-line"
      />
    )
  return <JsonView value={block} label={typeof type === 'string' ? type : t('block')} />
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

type Stage = TestResult['pipeline'][number]

const MARKS: Readonly<
  Record<Stage['outcome'], { readonly icon: typeof Check; readonly tone: string; readonly word: string }>
> = {
  pass: { icon: Check, tone: 'text-ok', word: t('passed') },
  skip: { icon: Minus, tone: 'text-ink-3', word: t('skipped') },
  refuse: { icon: CircleSlash, tone: 'text-warn', word: t('refused') },
  hit: { icon: Zap, tone: 'text-info', word: t('answered here') },
  fail: { icon: X, tone: 'text-bad', word: t('failed') },
}

export function Pipeline({ stages }: { readonly stages: readonly Stage[] }) {
  return (
    <section aria-label={t('Pipeline')}>
      <h2 className="eyebrow mb-2">{t('Pipeline')}</h2>
      <ol className="card divide-y divide-line overflow-hidden">
        {stages.map(({ stage, outcome, durationMs, note }) => {
          const { icon: Icon, tone, word } = MARKS[outcome]
          return (
            <li
              key={stage}
              className={cx('flex items-center gap-2.5 px-4 py-1.5 text-sm', outcome === 'skip' && 'text-ink-3')}
            >
              <Icon aria-hidden className={cx('size-3.5 shrink-0', tone)} />
              <span className="w-28">{stage.replace('_', ' ')}</span>
              <span className={cx('text-xs', tone)}>{word}</span>
              <span className="min-w-0 grow truncate text-xs text-ink-2">{note}</span>
              {outcome !== 'skip' && <span className="text-xs text-ink-3">{formatSpan(durationMs)}</span>}
            </li>
          )
        })}
      </ol>
    </section>
  )
}
