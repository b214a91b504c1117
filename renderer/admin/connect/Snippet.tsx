// What to paste into one client, with its command and its link.
import { ExternalLink } from 'lucide-react'
import type { ConnectClient } from '#contract'
import { t } from '../../language/language.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'

export function Snippet({
  client: { label, filename, snippet, command, instructions, deepLink },
}: {
  readonly client: ConnectClient
}) {
  return (
    <div className="flex max-w-3xl flex-col gap-4 px-6 py-5">
      <ol className="list-decimal space-y-1 pl-5 text-sm text-ink-2">
        {instructions.map((line) => (
          <li key={line}>{t(line)}</li>
        ))}
      </ol>
      {command !== null && <CodeBlock label={t('Command')} text={command} />}
      <div>
        <p className="mb-1.5 font-mono text-xs text-ink-3">{filename}</p>
        <CodeBlock label={t('Snippet')} text={snippet} />
      </div>
      {deepLink && (
        <div>
          <a href={deepLink} className={buttonClass({})}>
            <ExternalLink />
            {t('Open {label}', { label })}
          </a>
        </div>
      )}
    </div>
  )
}
