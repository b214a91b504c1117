// Keys as they look on the keyboard; `mod` is Command on a Mac and Control elsewhere.
import { t } from '../language/language.ts'

const APPLE = typeof navigator !== 'undefined' && /Mac|iP(hone|ad)/.test(navigator.platform)

function capOf(key: string): string {
  if (key === 'mod') return APPLE ? '⌘' : t('Ctrl')
  if (key === 'enter') return '↵'
  if (key === 'up') return '↑'
  if (key === 'down') return '↓'
  return key.length === 1 ? key.toUpperCase() : key
}

export function Kbd({ keys }: { readonly keys: readonly string[] }) {
  return (
    <span className="inline-flex items-center gap-1">
      {keys.map((key) => (
        <kbd
          key={key}
          className="inline-flex h-5 min-w-5 items-center justify-center rounded border border-line bg-sunken px-1 font-sans text-2xs font-medium text-ink-2"
        >
          {capOf(key)}
        </kbd>
      ))}
    </span>
  )
}
