"""What the checkout does with itself: make an environment, serve, test, check. Run with `python3 -m scripts`."""
