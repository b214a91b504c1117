// The Generate button (clean, generate, poll, verify), the freshness of the level, and the running step.
import { CircleStop, Play } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { t } from '../../language/language.ts'
import { rich } from '../../language/rich.tsx'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Select } from '../../ui/Select.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { useEditorEvents } from '../editor/queries.ts'
import { useCapability } from '../editor/use-capability.ts'
import { usePanels } from '../panel-places.ts'
import { type Heat, useStudio } from '../studio.ts'
import { createRunner, type Runner, useGeneration } from './generation.ts'
import { isRunning, type Phase } from './machine.ts'
import { useActorOf } from './use-actor.ts'

type Props = { readonly editor: string; readonly graph: string | null }

const CHIPS: Readonly<Record<Phase, { readonly tone: Tone; readonly word: string }>> = {
  unknown: { tone: 'neutral', word: t('not checked') },
  clean: { tone: 'neutral', word: t('nothing generated') },
  dirty: { tone: 'warn', word: t('edited since') },
  stale: { tone: 'warn', word: t('stale') },
  cleaning: { tone: 'info', word: t('cleaning') },
  scheduled: { tone: 'info', word: t('scheduled') },
  generating: { tone: 'info', word: t('generating') },
  verified: { tone: 'ok', word: t('verified') },
  empty: { tone: 'bad', word: t('empty') },
  failed: { tone: 'bad', word: t('failed') },
  cancelled: { tone: 'neutral', word: t('cancelled') },
}

export function GenerateBar({ editor, graph }: Props) {
  const actor = useActorOf(editor, graph)
  const cannot = useCapability(editor, 'generate')
  const cannotCancel = useCapability(editor, 'cancel')
  const noReports = useCapability(editor, 'timings')
  const machine = useGeneration((state) => state.machine)
  const feed = useRunner({ editor, graph, actor, reports: noReports === null })
  const running = actor !== null && isRunning(machine)
  const why =
    cannot ?? (graph === null ? t('Open a graph to generate') : actor === null ? t('No actor is chosen') : null)
  return (
    <div role="group" aria-label={t('Generation')} className="flex shrink-0 items-center gap-2">
      {actor !== null && <Chip />}
      {actor !== null && <HeatSwitch cannot={noReports} />}
      {actor !== null && (
        <label
          className="flex items-center gap-1.5 text-2xs text-ink-2"
          title={t('Generate automatically after edits')}
        >
          <Switch
            label={t('Generate after edits')}
            on={machine.auto}
            disabled={cannot !== null}
            onChange={(on) => feed({ type: 'auto', on })}
          />
          {t('auto')}
        </label>
      )}
      {running ? (
        <span title={cannotCancel ?? t('Stops the generation and removes what it made')}>
          <Button
            size="sm"
            disabled={cannotCancel !== null || machine.run?.step === 'cancelling'}
            onClick={() => feed({ type: 'cancel' })}
          >
            {rich('{circlestop} Cancel', { circlestop: <CircleStop /> })}
          </Button>
        </span>
      ) : (
        <>
          {why !== null && <Reason why={why} choose={cannot === null && graph !== null} />}
          <Button
            size="sm"
            look="strong"
            disabled={why !== null}
            aria-describedby={why === null ? undefined : REASON_ID}
            title={why === null ? t('Clean, generate and verify on {actor}', { actor: actor ?? '' }) : undefined}
            onClick={() => feed({ type: 'pressed' })}
          >
            {rich('{play} Generate', { play: <Play /> })}
          </Button>
        </>
      )}
    </div>
  )
}

const REASON_ID = 'generate-reason'

/** Why the button is disabled, and where to change that. */
function Reason({ why, choose }: { readonly why: string; readonly choose: boolean }) {
  return (
    <>
      <span id={REASON_ID} className="max-w-72 truncate text-xs text-ink-2" title={why}>
        {why}
      </span>
      {choose && (
        <Button size="sm" onClick={() => usePanels.getState().showPanel('right', 'level')}>
          {t('Choose or place one')}
        </Button>
      )}
    </>
  )
}

const HEATS: Readonly<Record<Heat, string>> = {
  off: t('Heat map: off'),
  time: t('Heat map: time'),
  points: t('Heat map: points'),
}

/** Shows the cost of the last generation on the nodes. */
function HeatSwitch({ cannot }: { readonly cannot: string | null }) {
  const heat = useStudio((state) => state.heat)
  const setHeat = useStudio((state) => state.setHeat)
  if (cannot !== null)
    return (
      <span className="text-2xs text-ink-3" title={cannot}>
        {t('no heat map')}
      </span>
    )
  return (
    <Select
      label={t('Heat map')}
      hideLabel
      className="w-34 [&_button]:h-7! [&_button]:text-xs!"
      value={heat}
      options={(['off', 'time', 'points'] as const).map((value) => ({ value, label: HEATS[value] }))}
      onChange={setHeat}
    />
  )
}

function Chip() {
  const { phase, message, progress } = useGeneration((state) => state.machine)
  const { tone, word } = CHIPS[phase]
  return (
    <span role="status" aria-label={t('Freshness')} className="flex min-w-0 items-center gap-1.5">
      <span title={message}>
        <Badge tone={tone} dot>
          {word}
          {/* Hidden from screen readers: a progress value per node would drown other announcements. */}
          {progress !== null && phase === 'generating' && <span aria-hidden>{Math.round(progress * 100)} %</span>}
        </Badge>
      </span>
      {/* On narrow screens the text is the tooltip instead. */}
      <span className="hidden max-w-64 truncate text-2xs text-ink-3 min-[1440px]:block" title={message}>
        {message}
      </span>
    </span>
  )
}

/** The state machine of the chosen actor while the header is mounted; ignores input without an actor. */
function useRunner({
  editor,
  graph,
  actor,
  reports,
}: Props & { readonly actor: string | null; readonly reports: boolean }): Runner['feed'] {
  const runner = useRef<Runner | null>(null)
  useEffect(() => {
    if (actor === null) return undefined
    const mine = createRunner({ editor, graph, actor, reports })
    runner.current = mine
    mine.feed({ type: 'tick' })
    return () => {
      mine.end()
      runner.current = null
    }
  }, [editor, graph, actor, reports])
  useEditorEvents(editor, (event) => runner.current?.hear(event))
  return (input) => runner.current?.feed(input)
}
