// A text with a copy button.

import { t } from '../language/language.ts'
import { CopyButton } from './CopyButton.tsx'

export function CodeBlock({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="relative rounded-md border border-line bg-sunken">
      <pre
        aria-label={label}
        className="overflow-x-auto py-2.5 pr-10 pl-3 font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap"
      >
        {text}
      </pre>
      <div className="absolute top-1.5 right-1.5">
        <CopyButton text={text} label={t('Copy {label}', { label: label.toLowerCase() })} />
      </div>
    </div>
  )
}
