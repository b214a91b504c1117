// What the colours and shapes of pins mean.

import { t } from '../../language/language.ts'
import { LEGEND } from './pin-look.ts'

export function PinLegend() {
  return (
    <section aria-label={t('Pins')}>
      <h3 className="eyebrow pb-1">{t('Pins')}</h3>
      <ul className="flex flex-col gap-1 text-xs text-ink-2">
        {LEGEND.map(({ name, colour, clip }) => (
          <li key={name} className="flex items-center gap-2">
            <Shape colour={colour} clip={clip} />
            {name}
          </li>
        ))}
        <li className="flex items-center gap-2 pt-1">
          <Shape colour="var(--g-ink-3)" clip={RING} />
          {t('Not connected')}
        </li>
        <li className="flex items-center gap-2">
          <span className="flex w-3 shrink-0 -space-x-2">
            <Shape colour="var(--g-ink-3)" clip="circle(50%)" />
            <Shape colour="var(--g-ink-3)" clip="circle(50%)" />
          </span>
          {t('Takes several wires')}
        </li>
        <li className="flex items-center gap-2">
          <span aria-hidden className="w-3 shrink-0 text-center font-medium text-bad">
            *
          </span>
          {t('Required')}
        </li>
      </ul>
    </section>
  )
}

/** A circle with a hole. */
const RING = 'path(evenodd, "M6 0a6 6 0 1 0 .01 0zM6 3a3 3 0 1 0 .01 0z")'

function Shape({ colour, clip }: { readonly colour: string; readonly clip: string }) {
  return <span aria-hidden className="size-3 shrink-0" style={{ background: colour, clipPath: clip }} />
}
