// A debounced search input.
import { Search } from 'lucide-react'
import { cx } from './cx.ts'
import { inputClass } from './Field.tsx'
import { useDebouncedInput } from './use-debounced-input.ts'

export function SearchInput({
  label,
  placeholder = label,
  value,
  onChange,
  onType,
  width = 'w-64!',
}: {
  readonly label: string
  readonly placeholder?: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** At each key, for a list that is filtered on the page. */
  readonly onType?: (value: string) => void
  readonly width?: string
}) {
  const [draft, setDraft] = useDebouncedInput(value, onChange)
  return (
    <div className={cx('relative', width === 'w-full' && 'min-w-0 grow')}>
      <Search aria-hidden className="absolute top-2 left-2.5 size-4 text-ink-3" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={draft}
        spellCheck={false}
        onChange={({ target }) => {
          setDraft(target.value)
          onType?.(target.value)
        }}
        className={cx(inputClass, 'pl-8! [&::-webkit-search-cancel-button]:hidden', width)}
      />
    </div>
  )
}
