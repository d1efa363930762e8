"""Where everything is kept: the tables of SQL, the one writer of money and journals, and what reads them back."""
