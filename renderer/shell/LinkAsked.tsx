// Shows the request of a gantry:// link and asks for confirmation.
import { useRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import type { DeepLink } from '#channels'
import { desktopBridge } from '../api/desktop.ts'
import { t } from '../language/language.ts'
import { PAGES } from '../pages.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog, DialogActions } from '../ui/Dialog.tsx'

type Asked = {
  readonly title: string
  readonly about: string
  readonly detail: string
  readonly yes: string
  readonly to: string
}

const SOURCES = {
  openapi: t('an OpenAPI document'),
  mcp: t('an MCP server'),
  graphql: t('a GraphQL endpoint'),
} as const

/** Undefined for an unknown page. */
function askedBy(link: DeepLink): Asked | undefined {
  if (link.kind === 'open-page') {
    const page = PAGES.find(({ path }) => path === link.page)
    return (
      page && {
        title: t('Open {title}?', { title: page.title }),
        about: t('A link outside Gantry asks for this page.'),
        detail: page.about,
        yes: t('Open the page'),
        to: page.path,
      }
    )
  }
  const { source, url, name } = link
  return {
    title: t('Add a backend from {host}?', { host: new URL(url).host }),
    about: t(
      'A link outside Gantry suggests {SOURCES}. Go on only if you trust the person who gave you the link: its tools would be offered to your agents.',
      { SOURCES: SOURCES[source] },
    ),
    detail: url,
    yes: t('Fill in the form'),
    to: `/add-backend?${new URLSearchParams({ source, url, ...(name === null ? {} : { name }) }).toString()}`,
  }
}

function takeLink(show: (asked: Asked | undefined) => void): void {
  desktopBridge()
    ?.takeLink()
    .then(
      (link) => link && show(askedBy(link)),
      // Without main there are no links.
      () => undefined,
    )
}

export function LinkAsked() {
  const router = useRouter()
  const [asked, setAsked] = useState<Asked>()
  const answer = (go: boolean): void => {
    if (go && asked) router.history.push(asked.to)
    setAsked(undefined)
    takeLink(setAsked)
  }
  const onWaiting = useEffectEvent(() => {
    // One at a time: main queues the others.
    if (asked === undefined) takeLink(setAsked)
  })
  useEffect(() => {
    onWaiting()
    return desktopBridge()?.subscribe('link:waiting', () => onWaiting())
  }, [])
  return (
    <Dialog open={asked !== undefined} onClose={() => answer(false)} title={asked?.title ?? ''} about={asked?.about}>
      <p className="rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs break-all">{asked?.detail}</p>
      <DialogActions>
        <Button onClick={() => answer(false)}>{t('Do nothing')}</Button>
        <Button look="strong" onClick={() => answer(true)}>
          {asked?.yes}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
