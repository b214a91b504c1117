// The page's filters live in its address: plain text parameters, read and changed in one place.
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

export type UrlParams = Readonly<Record<string, string | undefined>>

export function parseParams(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

export function writeParams(params: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString()
  return text && `?${text}`
}

/** A change merges; an empty value removes the parameter. History keeps one entry per page, not one per keystroke. */
export function useUrlParams(): readonly [UrlParams, (change: UrlParams) => void] {
  const params: UrlParams = useSearch({ strict: false })
  const navigate = useNavigate()
  const change = useCallback(
    (next: UrlParams) => {
      void navigate({
        to: '.',
        replace: true,
        resetScroll: false,
        search: (before: UrlParams) =>
          Object.fromEntries(Object.entries({ ...before, ...next }).filter(([, value]) => value)),
      })
    },
    [navigate],
  )
  return [params, change]
}
