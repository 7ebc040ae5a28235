import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLayout } from '../../state/layout.ts';
import { studioSettings } from './setting-names.ts';

/** Colours and times, stored in this browser. */
export function AppearanceFields(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { timeStyle, toggleTimeStyle } = useLayout();
  return (
    <section>
      <h2>Appearance</h2>
      <div className="settings-field row" data-setting="colours">
        <span id="settings-colours">{studioSettings.colours}</span>
        <SegmentedControl
          aria-labelledby="settings-colours"
          data={[
            { value: 'auto', label: 'System' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme)}
        />
      </div>
      <div className="settings-field row" data-setting="times">
        <span id="settings-times">{studioSettings.times}</span>
        <SegmentedControl
          aria-labelledby="settings-times"
          data={[
            { value: 'relative', label: 'Relative' },
            { value: 'utc', label: 'UTC' },
          ]}
          value={timeStyle}
          onChange={(style) => {
            if (style !== timeStyle) toggleTimeStyle();
          }}
        />
      </div>
    </section>
  );
}
