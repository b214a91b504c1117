// All calls, newest first: filtered by the gateway, with new ones on top and details beside the list.
import { Pause, Play, Radio } from 'lucide-react'
import { useState } from 'react'
import type { CallRow } from '#contract'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { SavedViewsMenu } from '../../ui/SavedViewsMenu.tsx'
import { createSavedViews } from '../../ui/saved-views.ts'
import { Table } from '../../ui/Table.tsx'
import { useUrlParams } from '../../url-params.ts'
import { CallFilters } from './CallFilters.tsx'
import { CallSheet } from './CallSheet.tsx'
import { CALL_COLUMNS } from './call-columns.tsx'
import { filterOf, isFiltered, PARAMS } from './call-filter.ts'
import { useCallOfRequest } from './use-call-of-request.ts'
import { useCalls } from './use-calls.ts'

/** About two rows. */
const AWAY_PX = 72
const VIEWS = createSavedViews('gantry.calls', PARAMS)

/** Rows above this call wait: by the button, or because a reader scrolled down and rows must not move. */
type Held = { readonly id: number; readonly by: 'button' | 'scroll' }

export function CallsPage() {
  const [params, change] = useUrlParams()
  const filter = filterOf(params)
  const { list, rows } = useCalls(filter, filter.query.to === undefined)
  const [held, setHeld] = useState<Held>()
  const [opened, setOpened] = useState<CallRow>()
  const request = useCallOfRequest(params.request)
  const shown = held ? rows.filter(({ id }) => id <= held.id) : rows
  const waiting = rows.length - shown.length
  const hold = (by: Held['by']): void => setHeld({ id: rows[0]?.id ?? Number.MAX_SAFE_INTEGER, by })

  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={t('Calls')}
        badge={held && <Badge tone="warn">{t('Paused')}</Badge>}
        about={t(
          'Calls of every client, in real time and back to the first one stored, with the requests that were refused.',
        )}
        actions={
          <>
            <SavedViewsMenu
              views={VIEWS}
              params={params}
              example={t('Refusals of the build farm')}
              onChange={(view) => change(view)}
            />
            <Button look={held ? 'strong' : 'plain'} onClick={() => (held ? setHeld(undefined) : hold('button'))}>
              {held ? <Play /> : <Pause />}
              {held ? (waiting > 0 ? t('Resume, {waiting} new', { waiting }) : t('Resume')) : t('Pause')}
            </Button>
          </>
        }
      />
      <CallFilters />
      {request.missing && (
        <p className="px-6 pt-3">
          <Badge tone="warn" className="max-w-md truncate">
            {t('No call of the request {request} was found', { request: params.request })}
          </Badge>
        </p>
      )}
      <Table
        className="min-h-0 grow"
        label={t('Calls, newest first')}
        {...list.table}
        columns={CALL_COLUMNS}
        rows={shown}
        onScrolled={(top) => {
          if (top > AWAY_PX && held === undefined) hold('scroll')
          if (top <= AWAY_PX && held?.by === 'scroll') setHeld(undefined)
        }}
        rowKey={({ id }) => id}
        onOpen={setOpened}
        openKey={opened?.id}
        empty={
          <EmptyState
            icon={Radio}
            {...(isFiltered(params)
              ? { title: t('No call matches'), about: t('No stored call has all of these properties.') }
              : { title: t('Waiting for a call'), about: t('Calls appear here when they finish.') })}
          />
        }
      />
      <CallSheet
        call={opened ?? request.call}
        onClose={() => {
          setOpened(undefined)
          change({ request: '' })
        }}
      />
    </div>
  )
}
