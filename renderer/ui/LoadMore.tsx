// The end of a paged list: loads the next page when visible, or on click after a failure.
import { LoaderCircle } from 'lucide-react'
import { useEffect, useEffectEvent, useRef } from 'react'
import { t } from '../language/language.ts'
import { Button } from './Button.tsx'
import { ErrorNote } from './ErrorState.tsx'

export function LoadMore({
  more,
  loading,
  error,
  onLoad,
  end,
}: {
  readonly more: boolean
  readonly loading: boolean
  readonly error: unknown
  readonly onLoad: () => void
  /** Shown when everything is loaded. */
  readonly end: string
}) {
  const mark = useRef<HTMLDivElement>(null)
  const load = useEffectEvent(onLoad)
  const ready = more && !loading && !error
  useEffect(() => {
    if (!ready || !mark.current) return undefined
    const watcher = new IntersectionObserver(([entry]) => entry?.isIntersecting && load(), { rootMargin: '400px' })
    watcher.observe(mark.current)
    return () => watcher.disconnect()
  }, [ready])

  return (
    <div ref={mark} className="flex h-12 items-center justify-center text-xs text-ink-3">
      {error ? (
        <div className="flex items-center gap-3">
          <ErrorNote error={error} />
          <Button size="sm" onClick={onLoad}>
            {t('Try again')}
          </Button>
        </div>
      ) : more ? (
        <LoaderCircle aria-label={t('Loading more')} className="size-4 animate-spin" />
      ) : (
        end
      )}
    </div>
  )
}
