throw new RangeError('the agent cannot be imported');
