"""Where the rows live: a backend holds them and answers the boosting loop with sums."""
